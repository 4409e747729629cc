import { attemptStore } from '../../store/attempts.ts';
import type { Store } from '../../store/open.ts';
import { touchNews } from './news.ts';

/**
 * Makes the workers of these lanes check for news at their next tool call. Call it after the
 * transaction that stored them.
 */
export function wakeWorkers(store: Store, runId: string, laneIds: readonly string[]): void {
  for (const { laneId, dir } of attemptStore(store).liveOfRun(runId)) {
    if (laneIds.includes(laneId)) touchNews(dir);
  }
}
