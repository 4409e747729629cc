/**
 * The tip of a run's integration. Everything that runs here as the same user can move its ref, so the commits that
 * lanehold has recorded before it moved the ref count, and no other.
 */
import type { Git } from '../../base/git/git.ts';
import { commitsOf } from '../../base/git/history.ts';
import { moveRef, refAt, refsBelow } from '../../base/git/plumbing.ts';
import { printableLine } from '../../base/text/printable.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { asideRef } from '../spec/paths.ts';

const MOVED = 'tip.moved';

/**
 * `stray`: where somebody else has moved the ref to; the tip is then the last one recorded.
 *
 * @returns no tip before the first integration, and where the ref is gone; and where the target is.
 */
export async function tipOf({ store }: Pick<LaneContext, 'store'>, run: Run, git: Git) {
  const refs = await refsBelow(git, run.integrationRef, run.targetRef);
  const [at, target] = [refs.get(run.integrationRef), refs.get(run.targetRef)];
  const proved = integrationStore(store)
    .ofRun(run.id)
    .flatMap(({ state, resultSha }) =>
      resultSha !== null && (state === 'integrated' || state === 'landed') ? resultSha : [],
    );
  const moves = laneEventStore(store).ofType(run.id, MOVED);
  const recorded = [run.baseSha, ...proved, ...moves.map(({ data }) => String(data.sha))];
  if (at === undefined || recorded.includes(at)) return { tip: at, target };
  const tip = recorded.at(-1) ?? run.baseSha;
  return { tip, target, stray: [at, tip] as const };
}

interface Move {
  readonly to: string;
  /** Empty: there must be no tip yet. */
  readonly from: string;
  readonly reason: string;
}

/** It is recorded first: whoever is killed in between has moved nothing. */
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

/** Moves the ref back; what it had been moved to is kept under another one. @returns lines for a person. */
export async function putAside(context: LaneContext, run: Run, git: Git, [stray, tip]: Stray) {
  const ref = asideRef(run, stray);
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
