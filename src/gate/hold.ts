/** Decides whether some content may leave: the gate's answer to one or more comparisons, as data. */
import type { GatePolicy, KindPolicy } from '../base/config/policy.ts';
import {
  type Assessed,
  type Assessment,
  assess,
  changedFileOf,
  hasNoFiles,
} from '../features/assess.ts';
import type { Comparison, Look, PushedRef } from '../features/comparison.ts';
import { type Explained, explain } from '../features/reason.ts';

/** A held feature; `subject` is the tree in which the content has to be verified. */
export interface HeldFeature
  extends Pick<Assessed, 'definedBy' | 'fingerprint' | 'subject'>,
    Pick<Explained, 'reason'> {
  readonly name: string;
  readonly smoke: readonly string[];
  /** The working tree holds the same content. */
  readonly inWorktree: boolean;
  /** Files that are not committed, and do not leave with the commit. */
  readonly beside: readonly string[];
  readonly changedFile: string;
  /** It has no files left, so no verification can pass. */
  readonly isEmpty: boolean;
}

export interface Hold {
  /** `ask`: the policy wants a person to decide. */
  readonly verdict: 'pass' | 'ask' | 'held';
  readonly features: readonly HeldFeature[];
  /** Names of the affected features that may leave. */
  readonly verified: readonly string[];
  /** Changed files of no feature that the policy does not let through. */
  readonly uncovered: readonly string[];
  /** The refs of a push, each with what is held of it. */
  readonly pushes: readonly JudgedRef[];
}

export interface JudgedRef extends PushedRef {
  readonly held: readonly { readonly name: string; readonly fingerprint: string }[];
}

/**
 * @param severity the answer of the policy where something is not verified; by default it is held.
 * @throws if there is no answer; callers at a boundary then deny.
 */
export async function holdOn(
  look: Look,
  comparisons: readonly Comparison[],
  now: Date,
  severity: (policy: GatePolicy) => KindPolicy = () => 'hold',
): Promise<Hold> {
  const held = new Map<string, HeldFeature>();
  const affected = new Set<string>();
  const uncovered = new Set<string>();
  const verdicts: Hold['verdict'][] = [];
  const pushes: JudgedRef[] = [];
  for (const comparison of comparisons) {
    const assessment = await assess(look, comparison, now);
    for (const it of assessment.affected) affected.add(it.feature.name);
    const { policy } = assessment;
    const answer = severity(policy);
    if (answer === 'off') continue;
    const limit = { now, maxAgeMs: policy.maxAgeMs };
    const { subject } = comparison;
    const isBare = look.place.kind === 'bare';
    for (const it of await explain(look, subject, assessment.held, limit)) {
      const isElsewhere =
        !isBare &&
        subject.kind === 'revision' &&
        subject.oid !== (await look.snapshot.status()).head;
      const feature = heldFeature(it, assessment, isElsewhere);
      const inWorktree = feature.inWorktree && !isBare;
      const isEmpty = hasNoFiles(it.assessed, await it.assessed.entries());
      held.set(it.assessed.fingerprint, { ...feature, inWorktree, isEmpty });
    }
    if (policy.uncovered !== 'allow') for (const path of assessment.uncovered) uncovered.add(path);
    verdicts.push(verdictOn(assessment, answer));
    pushes.push(...judgedRef(comparison, assessment));
  }
  const features = [...held.values()];
  const names = new Set(features.map((feature) => feature.name));
  return {
    verdict: VERDICTS.find((it) => verdicts.includes(it)) ?? 'pass',
    features,
    verified: [...affected].filter((name) => !names.has(name)).sort(),
    uncovered: [...uncovered].sort(),
    pushes,
  };
}

/** The ref of a push; a commit that is not made yet is on no ref. */
function judgedRef({ push, subject }: Comparison, { held }: Assessment): JudgedRef[] {
  if (push === undefined || subject.kind !== 'revision') return [];
  const facts = held.map(({ feature, fingerprint }) => ({ name: feature.name, fingerprint }));
  return [{ ...push, held: facts }];
}

/** True if a verification in the working tree is enough. */
export const isHere = ({ inWorktree, beside }: Pick<HeldFeature, 'inWorktree' | 'beside'>) =>
  inWorktree && beside.length === 0;

/** Everything that either holds; a feature that both hold is taken from the first. */
export function joinHolds(first: Hold, second: Hold): Hold {
  const names = new Set(first.features.map(({ name }) => name));
  const features = [...first.features, ...second.features.filter(({ name }) => !names.has(name))];
  const held = new Set(features.map(({ name }) => name));
  return {
    verdict: VERDICTS.find((it) => [first.verdict, second.verdict].includes(it)) ?? 'pass',
    features,
    verified: first.verified.filter((name) => !held.has(name)),
    uncovered: [...new Set([...first.uncovered, ...second.uncovered])].sort(),
    pushes: [...first.pushes, ...second.pushes],
  };
}

/** The verdicts, the strictest first. */
const VERDICTS = ['held', 'ask', 'pass'] as const satisfies readonly Hold['verdict'][];

function verdictOn(
  { held, uncovered, policy }: Assessment,
  answer: Exclude<KindPolicy, 'off'>,
): Hold['verdict'] {
  const strays = uncovered.length > 0 ? policy.uncovered : 'allow';
  if (held.length > 0 || strays === 'hold') return answer === 'hold' ? 'held' : 'ask';
  return strays === 'ask' ? 'ask' : 'pass';
}

function heldFeature(
  { assessed, reason, differing, beside }: Explained,
  assessment: Assessment,
  isElsewhere: boolean,
): Omit<HeldFeature, 'isEmpty'> {
  const { feature, definedBy, subject, fingerprint } = assessed;
  return {
    name: feature.name,
    definedBy,
    fingerprint,
    smoke: feature.smoke.map((test) => test.command),
    reason,
    changedFile: changedFileOf(assessment, assessed),
    subject,
    inWorktree: differing.length === 0,
    beside: isElsewhere ? beside : [...differing, ...beside],
  };
}
