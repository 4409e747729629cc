import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import type { Collected, GcWish } from './item.ts';

/** Logs that a verdict refers to stay: they are its proof. */
export function collectAttempts(
  context: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  { attemptsBefore, mode }: GcWish,
): Collected {
  const evidence = evidenceOf(context, run);
  const attempts = attemptStore(context.store);
  return lanes.flatMap(({ id }) =>
    attempts.ofLane(id).flatMap((attempt): Collected => {
      if (!isOurs(context, attempt) || !existsSync(attempt.dir)) return [];
      const useless = readdirSync(attempt.dir)
        .map((name) => join(attempt.dir, name))
        .filter((file) => !evidence.has(file));
      if (useless.length === 0) return [];
      const item = { run: run.name, what: 'attempt', name: attempt.dir } as const;
      if (attempt.endedAt === null || attempt.endedAt >= attemptsBefore) {
        return [{ ...item, why: 'it is not old enough' }];
      }
      if (mode === 'remove') emptyFolder(attempt.dir, useless);
      return [item];
    }),
  );
}

/** A stored path may be anything: only folders of attempts are touched. */
function isOurs({ store }: LaneContext, { id, dir }: Attempt): boolean {
  return dir === join(store.home.runs, 'lanes', id) && dirname(dir) !== dir;
}

/** Log files that verdicts refer to. */
export function evidenceOf({ store }: LaneContext, run: Run): ReadonlySet<string> {
  const all = laneValidationStore(store).ofRun(run.id);
  return new Set(all.flatMap(({ logPath, runs }) => [logPath, ...runs.map((it) => it.logPath)]));
}

export function emptyFolder(dir: string, files: readonly string[]): void {
  for (const file of files) rmSync(file, { recursive: true, force: true });
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}
