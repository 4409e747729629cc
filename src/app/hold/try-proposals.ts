/**
 * Runs the smoke tests of proposed features once, before anything is written: features that pass are verified when they
 * are added, and tests that prove nothing are not proposed.
 */
import type { Feature } from '../../base/config/feature.ts';
import { type Assessed, assessNamed } from '../../features/assess.ts';
import { lookAt } from '../../features/comparison.ts';
import type { ProposedFeature } from '../../features/discover/manifest.ts';
import { registryReader } from '../../features/registry.ts';
import { endOfOutput, testCount } from '../../features/test-count.ts';
import { isPartOfSuite } from '../../features/verify.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { AppContext } from '../context.ts';
import { type Progress, type VerifiedFeature, verifyContent } from './verification.ts';

export interface TriedFeature extends VerifiedFeature {
  /** The number of executed tests, as far as the runner reports it for this feature alone. */
  readonly tests: number | null;
  /**
   * `left`: to the feature of all other files, whose test is the whole suite; `not-proposed`: no test proves its files,
   * so a person is asked about them.
   */
  readonly fate: 'proposed' | 'left' | 'not-proposed';
}

export interface Tried {
  /** The remaining proposals; those whose tests prove nothing are dropped. */
  readonly proposals: readonly ProposedFeature[];
  readonly tried: readonly TriedFeature[];
}

/** A test that takes longer is not proposed, because nobody would wait for it at a push. */
export const MOST_TRIED_MS = 5 * 60_000;
const MOST_MS = 2 * MOST_TRIED_MS;

interface Found {
  readonly proposals: readonly ProposedFeature[];
  /** The `lanehold.json` with these proposals, and the names of the new ones. */
  readonly drafted: (proposals: readonly ProposedFeature[]) => {
    readonly text: string | undefined;
    readonly added: readonly string[];
  };
}

/**
 * Runs the tests of the proposals. A result becomes evidence when `lanehold.json` is written.
 *
 * @returns the results until the time is up, or until `progress.signal` is aborted.
 */
export async function tryProposals(
  context: AppContext,
  workspace: Workspace,
  { proposals, drafted }: Found,
  progress: Progress,
): Promise<Tried> {
  const signal = AbortSignal.any([progress.signal, AbortSignal.timeout(MOST_MS)]);
  const subject = { kind: 'worktree' } as const;
  const limit = { now: context.now(), maxAgeMs: Number.POSITIVE_INFINITY };
  const verifyAmong = async (some: readonly ProposedFeature[], isMeant = (_: Feature) => true) => {
    const { text, added } = drafted(some);
    if (text === undefined) return [];
    const { features } = await (await registryReader(workspace)).revision(text, 'lanehold.json');
    // The suite runs first; its parts get the rest of the time.
    const names = some
      .filter((it) => it.smoke.length > 0 && added.includes(it.name) && isMeant(it))
      .toSorted((one, other) => Number(other.rest === true) - Number(one.rest === true))
      .map(({ name }) => name);
    const assessed = await assessNamed(lookAt(workspace), subject, { names, features }, limit);
    const content = { workspace, subject, items: assessed.map(limited) };
    return verifyContent(context, content, { ...progress, signal });
  };
  const results = await verifyAmong(proposals);
  const settled = settledBy(proposals, results);
  if (!settled.tried.some(({ fate }) => fate === 'left')) return settled;
  // The rest now has other files than when its test ran.
  const again = await verifyAmong(settled.proposals, ({ rest }) => rest === true);
  const others = results.filter(({ feature }) => again.every((it) => it.feature !== feature));
  return settledBy(proposals, [...others, ...again]);
}

function limited(assessed: Assessed): Assessed {
  const smoke = assessed.feature.smoke.map((test) => {
    return { ...test, timeoutMs: Math.min(test.timeoutMs, MOST_TRIED_MS) };
  });
  return { ...assessed, feature: { ...assessed.feature, smoke } };
}

function settledBy(
  proposals: readonly ProposedFeature[],
  results: readonly VerifiedFeature[],
): Tried {
  const byName = new Map(results.map((it) => [it.feature, it]));
  const suite = proposals.find(({ rest }) => rest);
  const hasRest = suite !== undefined && passes(byName.get(suite.name));
  const fateOf = (it: Feature): TriedFeature['fate'] => {
    if (it.rest) return hasRest ? 'proposed' : 'not-proposed';
    if (!isNoProof(byName.get(it.name))) return 'proposed';
    return hasRest ? 'left' : 'not-proposed';
  };
  const fates = new Map(proposals.map((it) => [it.name, fateOf(it)]));
  const isKept = (name: string) => !['left', 'not-proposed'].includes(fates.get(name) ?? '');
  return {
    proposals: proposals
      .filter(({ name }) => isKept(name))
      .map((it) => ({ ...it, dependsOn: it.dependsOn.filter(isKept) })),
    tried: proposals.flatMap(({ name }) => {
      const result = byName.get(name);
      if (result === undefined) return [];
      return { ...result, tests: testsIn(result), fate: fates.get(name) ?? 'proposed' };
    }),
  };
}

function testsIn({ runs = [] }: VerifiedFeature): number | null {
  if (runs.some(isPartOfSuite)) return null;
  const counts = runs.flatMap((run) => testCount(endOfOutput(run)) ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, it) => sum + it, 0);
}

/** True if a test passed, even if it writes files. */
function passes(it: VerifiedFeature | undefined): boolean {
  return it?.result === 'passed' || it?.result === 'changed-meanwhile';
}

/** True for a test that ran nothing, or must not run, so that it can never be a proof. */
function isNoProof(it: VerifiedFeature | undefined): boolean {
  return it?.because === 'ran-no-test' || it?.because === 'releases';
}
