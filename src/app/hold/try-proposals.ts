/**
 * Runs the smoke tests of proposed features once, before anything is written: what passes is verified
 * already when the features are registered, and nothing is proposed as a proof that proves nothing.
 */
import type { Feature } from '../../base/config/feature.ts';
import { type Assessed, assessNamed } from '../../features/assess.ts';
import type { ProposedFeature } from '../../features/discover/manifest.ts';
import { registryReader } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { AppContext } from '../context.ts';
import { type Progress, type VerifiedFeature, verifyContent } from './verification.ts';

export interface TriedFeature extends VerifiedFeature {
  /**
   * `left`: to the feature of all other files, whose test is the whole suite; `without-test`: a person can
   * only vouch for it; `not-proposed`: the whole suite is no proof now.
   */
  readonly fate: 'proposed' | 'left' | 'without-test' | 'not-proposed';
}

export interface Tried {
  /** What is proposed after all. */
  readonly proposals: readonly ProposedFeature[];
  readonly tried: readonly TriedFeature[];
}

/** A test that takes longer is none that somebody waits for at a push. */
export const MOST_TRIED_MS = 5 * 60_000;
/** Nobody waits longer for all of them together. */
const MOST_MS = 2 * MOST_TRIED_MS;

interface Drafted {
  readonly proposals: readonly ProposedFeature[];
  /** Names of those that are new; the others are registered already. */
  readonly added: readonly string[];
  /** The `lanehold.json` that has them: what passes counts once it is written. */
  readonly text: string;
}

/**
 * @returns the results that are there where the time was up, or `progress.signal` was aborted.
 */
export async function tryProposals(
  context: AppContext,
  workspace: Workspace,
  { proposals, added, text }: Drafted,
  progress: Progress,
): Promise<Tried> {
  const { features } = await (await registryReader(workspace)).revision(text, 'lanehold.json');
  // The suite first: what is left of the time is for its parts.
  const names = proposals
    .filter(({ name, smoke }) => smoke.length > 0 && added.includes(name))
    .toSorted((one, other) => Number(other.rest === true) - Number(one.rest === true))
    .map(({ name }) => name);
  const subject = { kind: 'worktree' } as const;
  const limit = { now: context.now(), maxAgeMs: Number.POSITIVE_INFINITY };
  const assessed = await assessNamed(workspace, subject, { names, features }, limit);
  const results = await verifyContent(
    context,
    { workspace, subject, items: assessed.map(limited) },
    { ...progress, signal: AbortSignal.any([progress.signal, AbortSignal.timeout(MOST_MS)]) },
  );
  return settled(proposals, results);
}

function limited(assessed: Assessed): Assessed {
  const smoke = assessed.feature.smoke.map((test) => {
    return { ...test, timeoutMs: Math.min(test.timeoutMs, MOST_TRIED_MS) };
  });
  return { ...assessed, feature: { ...assessed.feature, smoke } };
}

/** Makes of the proposals what their tests have shown them to be. */
function settled(
  proposals: readonly ProposedFeature[],
  results: readonly VerifiedFeature[],
): Tried {
  const byName = new Map(results.map((it) => [it.feature, it]));
  const suite = proposals.find(({ rest }) => rest);
  const hasRest = suite !== undefined && passes(byName.get(suite.name));
  const fateOf = (it: Feature): TriedFeature['fate'] => {
    if (it.rest) return hasRest ? 'proposed' : 'not-proposed';
    if (!isNoProof(byName.get(it.name))) return 'proposed';
    return hasRest ? 'left' : 'without-test';
  };
  const fates = new Map(proposals.map((it) => [it.name, fateOf(it)]));
  const isKept = (name: string) => !['left', 'not-proposed'].includes(fates.get(name) ?? '');
  return {
    proposals: proposals
      .filter(({ name }) => isKept(name))
      .map((it) => ({
        ...it,
        smoke: fates.get(it.name) === 'without-test' ? [] : it.smoke,
        dependsOn: it.dependsOn.filter(isKept),
      })),
    tried: proposals.flatMap(({ name }) => {
      const result = byName.get(name);
      return result === undefined ? [] : { ...result, fate: fates.get(name) ?? 'proposed' };
    }),
  };
}

/** Files that a test writes are named, and do not make it worthless. */
function passes(it: VerifiedFeature | undefined): boolean {
  return it?.result === 'passed' || it?.result === 'changed-meanwhile';
}

/** It ran no test, or must not run: also when all is well, it will prove nothing. */
function isNoProof(it: VerifiedFeature | undefined): boolean {
  return it?.because === 'releases' || it?.because === 'ran-no-test';
}
