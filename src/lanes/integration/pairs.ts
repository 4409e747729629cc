/** Pairs of lane states to be merged on trial. */
import type { Git } from '../../git/git.ts';
import { refAt } from '../../git/plumbing.ts';
import type { CompositionKey } from '../../store/compositions.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { headsOf } from './heads.ts';

export interface Probe {
  readonly run: Run;
  readonly laneId: string;
  /** The lane's newest checkpoint, or its head. */
  readonly sha: string;
  /** How many validations may run at once on this machine; derived from the machine by default. */
  readonly slots?: number | undefined;
  readonly signal: AbortSignal;
}

export interface PairMember {
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
