/**
 * Checks in advance whether lanes that are being worked on fit together: merges their newest states
 * in pairs, and validates the merges of pairs that are related. No working tree of a lane is touched.
 */
import type { Git } from '../../git/git.ts';
import { mergeTrees } from '../../git/merge-trees.ts';
import { isAncestor, treeOf } from '../../git/plumbing.ts';
import { type Composition, compositionStore } from '../../store/compositions.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { tellChanges, tellReader } from './composition-events.ts';
import { validateWhatMay } from './composition-proof.ts';
import { openConflicts } from './open-conflicts.ts';
import { type LanePair, type Probe, pairKey, pairsOf } from './pairs.ts';
import { related, type Side, sidesOf } from './related.ts';
import { gitOfRun } from './repository.ts';

export interface CompositionReport {
  readonly lanes: readonly [lane: string, other: string | undefined];
  readonly paths: readonly string[];
  readonly related: boolean;
  /** `later`: no slot was free; `undefined`: the two are unrelated, or there is no verdict. */
  readonly validation: Validation['result'] | 'later' | undefined;
}

/** Returns what is recorded now about the lane's newest state and each of the others'. */
export async function probeCompositions(
  context: LaneContext,
  probe: Probe,
): Promise<CompositionReport[]> {
  const { run, signal } = probe;
  const known = openConflicts(context, run.id);
  const git = gitOfRun(context, run);
  const pairs = await pairsOf(context, git, probe);
  for (const pair of pairs) {
    signal.throwIfAborted();
    await merge(context, git, run, pair);
  }
  tellChanges(context, run, known);
  const left = await validateWhatMay(context, git, probe, pairs);
  return pairs.flatMap((pair) => reportOf(context, run, pair, left) ?? []);
}

async function merge(context: LaneContext, git: Git, run: Run, pair: LanePair): Promise<void> {
  const { store, now } = context;
  const compositions = compositionStore(store);
  if (compositions.find(pairKey(run, pair)) !== undefined) return;
  const outcome = await tryMerge(git, pair, ([ours, theirs]) => {
    const { a, b } = pair;
    if (b.lane === undefined) return;
    tellReader(context, run, a.lane, { by: b.lane, changed: theirs.changed });
    tellReader(context, run, b.lane, { by: a.lane, changed: ours.changed });
  });
  const bLaneId = pair.b.lane?.id ?? null;
  store.write(() =>
    compositions.add({
      ...pairKey(run, pair),
      bLaneId,
      ...outcome,
      validationId: null,
      at: now(),
    }),
  );
}

async function tryMerge(
  git: Git,
  { a, b }: LanePair,
  onSides: (sides: readonly [Side, Side]) => void,
): Promise<Pick<Composition, 'tree' | 'conflicts' | 'related'>> {
  for (const [less, more] of [
    [a.sha, b.sha],
    [b.sha, a.sha],
  ] as const) {
    // One contains the other, so the merge is the larger one.
    if (await isAncestor(git, less, more)) {
      return { tree: await treeOf(git, more), conflicts: [], related: false };
    }
  }
  const { tree, conflicts } = await mergeTrees(git, a.sha, b.sha);
  if (conflicts.length > 0) return { tree, conflicts, related: true };
  const ours = { sha: a.sha, reads: a.lane.spec.reads };
  const theirs = { sha: b.sha, reads: b.lane?.spec.reads ?? [] };
  const sides = await sidesOf(git, ours, theirs);
  onSides(sides);
  return { tree, conflicts, related: related(...sides) };
}

function reportOf(
  { store }: LaneContext,
  run: Run,
  pair: LanePair,
  left: readonly LanePair[],
): CompositionReport | undefined {
  const found = compositionStore(store).find(pairKey(run, pair));
  if (found === undefined) return undefined;
  const { validationId } = found;
  const verdict = validationId === null ? undefined : laneValidationStore(store).byId(validationId);
  return {
    lanes: [pair.a.lane.key, pair.b.lane?.key],
    paths: found.conflicts,
    related: found.related,
    validation: verdict?.result ?? (left.includes(pair) ? 'later' : undefined),
  };
}
