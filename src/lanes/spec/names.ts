/** Names of runs and lanes: their form, and the run or lane that a name means. */
import { UsageError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';

/** Names become folders, refs and branches, so their form is limited. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const NO_REF = /\.\.|\.lock$|\.$/;

/** @throws {UsageError} if `name` is unsafe as a folder, or not valid in a branch's name. */
export function assertName(what: 'lane' | 'run', name: string): void {
  if (what === 'lane' && name === 'integration') {
    throw new UsageError(`no lane can be named ${name}: the run uses a ref of that name`, {
      hint: 'say what the lane does, such as `merge-apis`',
    });
  }
  if (isName(name)) return;
  throw new UsageError(`${JSON.stringify(name.slice(0, 80))} cannot name a ${what}`, {
    hint: 'use up to 64 of a-z, 0-9, `-`, `_` and `.`, such as `billing-api`: it becomes a folder and a branch',
  });
}

export function isName(name: string): boolean {
  return NAME.test(name) && !NO_REF.test(name);
}

export function nameFrom(goal: string): string {
  const plain = goal.normalize('NFKD').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 4).join('-').slice(0, 40).replace(/-+$/, '') || 'run';
}

/**
 * The run of this name; without a name the run that the calling worker belongs to, else the only open one.
 *
 * @throws {UsageError} that lists the possible names.
 */
export function findRun(
  store: Store,
  projectId: number,
  wish: { readonly name: string | undefined; readonly env: NodeJS.ProcessEnv },
): Run {
  const runs = runStore(store);
  if (wish.name !== undefined) {
    const named = runs.byName(projectId, wish.name);
    if (named !== undefined) return named;
    throw new UsageError(`there is no run named \`${wish.name}\` in this project`, {
      hint: namesHint(runs.all(projectId)),
    });
  }
  const own = runs.byId(wish.env.LANEHOLD_RUN ?? '');
  if (own !== undefined) return own;
  const open = runs.open(projectId);
  const [only] = open;
  if (only !== undefined && open.length === 1) return only;
  if (only !== undefined) {
    throw new UsageError('there are several open runs in this project', { hint: namesHint(open) });
  }
  const last = runs.newest(projectId);
  const itself = last && `the last one is ${last.intent}: give \`--run ${last.name}\`, or `;
  throw new UsageError('there is no open run in this project', {
    hint: `${itself ?? ''}${namesHint([])}`,
  });
}

function namesHint(runs: readonly Run[]): string {
  if (runs.length === 0) return "begin one with `lanehold orchestrate init 'GOAL'`";
  return `give one with --run: ${runs.map(({ name }) => name).join(', ')}`;
}

/** @throws {UsageError} that suggests the nearest key. */
export function findLane(store: Store, run: Run, key: string): LaneView {
  const lanes = laneStore(store);
  const found = lanes.byKey(run.id, key);
  if (found !== undefined) return found;
  const keys = lanes.ofRun(run.id).map((lane) => lane.key);
  const meant = nearest(key, keys);
  const hint = meant ? `did you mean \`${meant}\`?` : `lanes: ${keys.join(', ') || 'none'}`;
  throw new UsageError(`there is no lane \`${key}\` in run ${run.name}`, { hint });
}
