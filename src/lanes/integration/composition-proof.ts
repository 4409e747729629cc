/** Validates the merge of two lanes in advance, while the machine has nothing more urgent to do. */
import type { Git } from '../../git/git.ts';
import { moveRef, refAt } from '../../git/plumbing.ts';
import { type CompositionKey, compositionStore } from '../../store/compositions.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { commandsInside, distinct, type ProofCommand, proofCommands } from './commands.ts';
import { tellChanges } from './composition-events.ts';
import { mergeCommit } from './merge-commit.ts';
import { headsOf, openConflicts } from './open-conflicts.ts';
import { prove, type Question } from './prove.ts';
import { compositionRefs, hasFreeSlot, type Probe, takePurposeLock } from './purpose.ts';
import { NO_COMMIT } from './repository.ts';

/**
 * Uses only a slot that is free now and the scratch tree if it is not in use, so nothing waits for it.
 *
 * @returns the pairs that could not be validated now.
 */
export async function validateWhatMay(
  context: LaneContext,
  git: Git,
  probe: Probe,
  pairs: readonly LanePair[],
): Promise<readonly LanePair[]> {
  const { run } = probe;
  const due = pairs.filter((pair) => isDue(context, run, pair));
  if (due.length === 0 || !hasFreeSlot(context, probe)) return due;
  const lock = takePurposeLock(context.store.home, 'composition', run);
  if (lock === undefined) return due;
  const left: LanePair[] = [];
  try {
    for (const pair of due) {
      // The previous holder of the lock may have validated it.
      if (!isDue(context, run, pair)) continue;
      if (!hasFreeSlot(context, probe)) {
        left.push(pair);
        continue;
      }
      const known = openConflicts(context, run.id);
      await validate(context, git, probe, pair);
      tellChanges(context, run, known);
    }
    return left;
  } finally {
    lock.release();
  }
}

function isDue({ store }: LaneContext, run: Run, pair: LanePair): boolean {
  const look = compositionStore(store).find(pairKey(run, pair));
  if (look === undefined || look.validationId !== null) return false;
  return look.related && look.conflicts.length === 0;
}

/** After every validation that something waits for. */
const PRIORITY = -10;

async function validate(
  context: LaneContext,
  git: Git,
  { run, signal, slots }: Probe,
  pair: LanePair,
): Promise<void> {
  const { a, b } = pair;
  const other = b.lane?.key ?? 'integration';
  const message = `Merge ${a.lane.key} and ${other} of ${run.name} to try them together`;
  const merged = await mergeCommit(git, { ours: a.sha, theirs: b.sha, message });
  if (merged.kind === 'conflict') return;
  // Protects the commit from git's garbage collection while it is being validated.
  const ref = `${compositionRefs(run)}${a.lane.key}+${b.lane?.key ?? '@tip'}`;
  const before = (await refAt(git, ref)) ?? NO_COMMIT;
  await moveRef(git, ref, merged.commit, before, 'lanehold: a composition');
  const verdict = await verdictOn(pair, {
    ...{ context, run, base: run.baseSha, priority: PRIORITY, signal, slots },
    ...({ purpose: 'composition', evidence: 'content' } as const),
    sha: merged.commit,
    commands: commandsOf(context, run, pair),
  });
  if (verdict === undefined) return;
  const { id } = verdict;
  context.store.write(() => compositionStore(context.store).setValidation(pairKey(run, pair), id));
}

function commandsOf(context: LaneContext, run: Run, { a, b }: LanePair): ProofCommand[] {
  const others = b.lane === undefined ? commandsInside(context, run) : proofCommands([b.lane]);
  return distinct([...proofCommands([a.lane]), ...others]);
}

/** The verdict on the merge; if it fails, that of a side that fails alone, as unfinished work may. */
async function verdictOn({ a, b }: LanePair, question: Question): Promise<Validation | undefined> {
  const proof = await prove(question);
  if (proof.kind === 'pass') return [...proof.by.values()].at(-1);
  if (proof.kind === 'unclear') return proof.validation;
  const { cmdHash } = proof.validation;
  const commands = question.commands.filter((it) => it.cmdHash === cmdHash);
  for (const { sha } of [a, b]) {
    const alone = await prove({ ...question, sha, commands });
    if (alone.kind !== 'pass') return alone.validation;
  }
  return proof.validation;
}

interface PairMember {
  /** `undefined`: the tip of the integration. */
  readonly lane: LaneView | undefined;
  readonly sha: string;
}

/** The lane that was added first comes first, so that a pair has one name. */
export interface LanePair {
  readonly a: PairMember & { readonly lane: LaneView };
  readonly b: PairMember;
}

/** One lane's newest state with each of the others', and with the tip if there is one. */
export async function pairsOf(
  context: LaneContext,
  git: Git,
  { run, laneId, sha }: Probe,
): Promise<LanePair[]> {
  const lane = laneStore(context.store).byId(laneId);
  if (lane === undefined) return [];
  const own = { lane, sha };
  const others = headsOf(context, run.id).filter((it) => it.lane.id !== laneId);
  const pairs: LanePair[] = others.map((other) =>
    other.lane.position < lane.position ? { a: other, b: own } : { a: own, b: other },
  );
  const tip = await refAt(git, run.integrationRef);
  if (tip === undefined || tip === run.baseSha) return pairs;
  return [...pairs, { a: own, b: { lane: undefined, sha: tip } }];
}

export const pairKey = (run: Run, { a, b }: LanePair): CompositionKey => ({
  runId: run.id,
  aLaneId: a.lane.id,
  aSha: a.sha,
  bSha: b.sha,
});
