/**
 * The tip of a run's integration. Every process of the same user can move its ref, so only commits count that lanehold
 * has recorded before it moved the ref.
 */
import type { Git } from '../../base/git/git.ts';
import { commitsOf } from '../../base/git/history.ts';
import { moveRef, refAt, refsAt } from '../../base/git/plumbing.ts';
import { printableLine } from '../../base/text/printable.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import type { Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import { asideRef } from '../spec/paths.ts';

const MOVED = 'tip.moved';

/**
 * `stray`: the commit to which somebody else has moved the ref; the tip is then the last recorded one.
 *
 * @returns the tip, and the target; no tip before the first integration, or if the ref is gone.
 */
export async function tipOf(context: Pick<LaneContext, 'store'>, run: Run, git: Git) {
  const refs = await refsAt(git, run.integrationRef, run.targetRef);
  const [at, target] = [refs.get(run.integrationRef), refs.get(run.targetRef)];
  const recorded = recordedTips(context, run);
  if (at === undefined || recorded.includes(at)) return { tip: at, target };
  const tip = recorded.at(-1) ?? run.baseSha;
  return { tip, target, stray: [at, tip] as const };
}

/** The commits to which lanehold has moved the tip, the last one at the end. */
export function recordedTips({ store }: Pick<LaneContext, 'store'>, run: Run): string[] {
  const proved = integrationStore(store)
    .ofRun(run.id)
    .flatMap(({ state, resultSha }) =>
      resultSha !== null && (state === 'integrated' || state === 'landed') ? resultSha : [],
    );
  const moves = laneEventStore(store).ofType(run.id, MOVED);
  return [run.baseSha, ...proved, ...moves.map(({ data }) => String(data.sha))];
}

/** Whether there may be a tip: it is recorded before its ref exists. */
export const hasTip = ({ store }: Pick<LaneContext, 'store'>, run: Pick<Run, 'id'>): boolean =>
  laneEventStore(store).last(run.id, MOVED) !== undefined;

interface Move {
  readonly to: string;
  /** Empty: there must be no tip yet. */
  readonly from: string;
  readonly reason: string;
}

/** Moves the tip. The move is recorded first: a process that is killed in between has moved nothing. */
export async function moveTip(
  { store, now }: Pick<LaneContext, 'store' | 'now'>,
  run: Run,
  git: Git,
  { to, from, reason }: Move,
): Promise<'moved' | 'lost'> {
  const event = { runId: run.id, type: MOVED, data: { sha: to, from }, by: 'lanehold' };
  store.write(() => laneEventStore(store).add(event, now()));
  return moveRef(git, run.integrationRef, to, from, reason);
}

/** Moves the ref back, and keeps the stray commit under another ref. @returns lines for a person. */
export async function putAside(context: LaneContext, run: Run, git: Git, [stray, tip]: Stray) {
  const ref = asideRef(run, stray.slice(0, 12));
  if ((await refAt(git, ref)) === undefined) await moveRef(git, ref, stray, '', 'lanehold: aside');
  await moveTip(context, run, git, { to: tip, from: stray, reason: 'lanehold: moved back' });
  return [
    await strayWords(git, run, stray),
    `it does not count, and is kept as ${ref}`,
    `to have it as a lane: git branch NAME ${ref},`,
    'then lanehold orchestrate lane add KEY --branch NAME',
  ];
}

type Stray = readonly [stray: string, tip: string];

/** `refs/lanehold/… was moved to 1a2b3c4d (mine, by Ada), and not by lanehold`. */
export async function strayWords(git: Git, run: Run, stray: string): Promise<string> {
  const [commit] = await commitsOf(git, [stray]);
  const made = commit && ` (${printableLine(`${commit.subject}, by ${commit.author}`, 80)})`;
  return `${run.integrationRef} was moved to ${stray.slice(0, 8)}${made ?? ''}, and not by lanehold`;
}
