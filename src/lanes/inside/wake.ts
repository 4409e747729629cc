import { attemptStore } from '../../store/attempts.ts';
import type { Store } from '../../store/open.ts';
import { touchNews } from './news.ts';

/**
 * The workers of these lanes look at their next tool call what there is to tell them. Call it after
 * the transaction that wrote it.
 */
export function wakeWorkers(store: Store, runId: string, laneIds: readonly string[]): void {
  for (const { laneId, dir } of attemptStore(store).liveOfRun(runId)) {
    if (laneIds.includes(laneId)) touchNews(dir);
  }
}
