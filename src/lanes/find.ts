/** Finds the run and the lane that a command means. */
import type { Environment } from '../environment.ts';
import { UsageError } from '../errors.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { Store } from '../store/open.ts';
import { type Run, runStore } from '../store/runs.ts';
import { nearest } from '../text/nearest.ts';

/**
 * The run of this name; without a name the run that the calling worker belongs to, else the only open one.
 *
 * @throws {UsageError} that lists the possible names.
 */
export function findRun(
  store: Store,
  projectId: number,
  wish: { readonly name: string | undefined; readonly env: Environment },
): Run {
  const runs = runStore(store);
  if (wish.name !== undefined) {
    const named = runs.byName(projectId, wish.name);
    if (named !== undefined) return named;
    throw new UsageError(`there is no run named \`${wish.name}\` in this project`, {
      hint: namesHint(runs.all(projectId)),
    });
  }
  const own = wish.env.LANEHOLD_RUN ? runs.byId(wish.env.LANEHOLD_RUN) : undefined;
  if (own !== undefined) return own;
  const open = runs.open(projectId);
  const [only] = open;
  if (only === undefined) {
    const last = lastRun(store, projectId);
    throw new UsageError('there is no open run in this project', {
      hint:
        last === undefined
          ? namesHint([])
          : `the last one is ${last.intent}: give \`--run ${last.name}\`, or ${namesHint([])}`,
    });
  }
  if (open.length === 1) return only;
  throw new UsageError('there are several open runs in this project', { hint: namesHint(open) });
}

/** The run that was begun last, open or not. */
export function lastRun(store: Store, projectId: number): Run | undefined {
  return runStore(store).all(projectId)[0];
}

function namesHint(runs: readonly Run[]): string {
  if (runs.length === 0) return "begin one with `lanehold orchestrate init '<goal>'`";
  return `give one with --run: ${runs.map(({ name }) => name).join(', ')}`;
}

/** @throws {UsageError} that suggests the nearest key. */
export function findLane(store: Store, run: Run, key: string): LaneView {
  const lanes = laneStore(store);
  const found = lanes.byKey(run.id, key);
  if (found !== undefined) return found;
  const keys = lanes.ofRun(run.id).map((lane) => lane.key);
  const meant = nearest(key, keys);
  throw new UsageError(`there is no lane \`${key}\` in run ${run.name}`, {
    hint:
      meant === undefined ? `lanes: ${keys.join(', ') || 'none'}` : `did you mean \`${meant}\`?`,
  });
}
