/** A lane with a worker at work in it, as the hooks of that worker see the context. */
import { mkdirSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { takeLock } from '../../src/base/process/held-lock.ts';
import { bootId } from '../../src/base/process/process-entry.ts';
import { attemptDir, supervisorLock } from '../../src/lanes/spec/paths.ts';
import { attemptStore } from '../../src/store/attempts.ts';
import { type LaneRows, laneRows } from './lane-rows.ts';

type Wish = Parameters<LaneRows['addLane']>[1];

export async function laneWorker(wish: Wish = {}) {
  const rows = await laneRows({ files: FILES });
  rows.addLane('api', wish);
  return { ...rows, ...begin(rows, 'api') };
}

const FILES = {
  'README.md': 'A project\n',
  'src/api/routes.ts': 'one\n',
  'src/ui/page.ts': 'one\n',
  'check.sh': 'true\n',
};

/** Nobody takes the attempt over: its lock is held here for as long as the test runs. */
export function begin(rows: LaneRows, key: string) {
  const { box, run, context } = rows;
  const attempt = rows.start(key);
  const { store } = context;
  const dir = attemptDir(store.home, attempt);
  mkdirSync(dir, { recursive: true });
  const lock = takeLock(supervisorLock(dir));
  if (lock === undefined) throw new Error('the lock of a new attempt is held');
  onTestFinished(() => lock.release());
  store.write(() => attemptStore(store).note(attempt, 0, { bootId: bootId() }));
  const tree = rows.treeOf(key);
  const marks = {
    LANEHOLD_ATTEMPT: attempt,
    LANEHOLD_LANE: rows.lane(key).id,
    LANEHOLD_RUN: run.id,
    LANEHOLD_STAGE: 'worker',
    LANEHOLD_WORKTREE: tree,
  };
  return {
    attempt,
    dir,
    tree,
    /** The environment of the worker. */
    marks,
    env: { ...box.env, ...marks },
    /** The worker ends, and what came of it. */
    end(reason: 'crashed' | 'rejected' = 'crashed', detail: string | null = null): void {
      store.write(() => {
        const attempts = attemptStore(store);
        attempts.note(attempt, 0, { state: 'exited' });
        attempts.note(attempt, 0, {
          state: 'ended',
          endReason: reason,
          endDetail: detail,
          endedAt: new Date(),
        });
      });
    },
  };
}
