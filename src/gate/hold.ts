/** May this content leave? The gate's answer for one or more comparisons, as facts. */
import { type Assessed, assess, type Comparison, type Subject } from '../features/assess.ts';
import { type Explained, explain, type HoldReason } from '../features/reason.ts';
import type { Workspace } from '../features/workspace.ts';
import { type Look, lookAt } from '../project/look.ts';

export interface HeldFeature {
  readonly name: string;
  readonly definedBy: Assessed['definedBy'];
  readonly fingerprint: string;
  readonly smoke: readonly string[];
  readonly reason: HoldReason;
  /** Where the content is that has to be verified. */
  readonly subject: Subject;
  /** The working tree holds the same content. */
  readonly inWorktree: boolean;
}

export interface Hold {
  /** `ask`: nothing is unverified, but the policy wants a person to look at uncovered files. */
  readonly verdict: 'pass' | 'ask' | 'held';
  readonly features: readonly HeldFeature[];
  /** Names of the affected features that may leave. */
  readonly verified: readonly string[];
  /** Changed files of no feature that the policy does not let through. */
  readonly uncovered: readonly string[];
}

/** @throws whatever makes the answer unknowable; callers at a boundary deny then. */
export async function holdOn(
  workspace: Workspace,
  comparisons: readonly Comparison[],
  now: Date,
  look: Look = lookAt(workspace.git),
): Promise<Hold> {
  const held = new Map<string, HeldFeature>();
  const affected = new Set<string>();
  const uncovered = new Map<string, 'ask' | 'hold'>();
  for (const comparison of comparisons) {
    const assessment = await assess(workspace, comparison, now, look);
    for (const it of assessment.affected) affected.add(it.feature.name);
    for (const it of await explain(workspace, comparison.subject, assessment.held, now)) {
      held.set(it.assessed.fingerprint, heldFeature(comparison.subject, it));
    }
    const { uncovered: policy } = assessment.policy;
    if (policy === 'allow') continue;
    for (const path of assessment.uncovered) uncovered.set(path, policy);
  }
  const features = [...held.values()];
  const names = new Set(features.map((feature) => feature.name));
  return {
    verdict: verdictOf(features, [...uncovered.values()]),
    features,
    verified: [...affected].filter((name) => !names.has(name)).sort(),
    uncovered: [...uncovered.keys()].sort(),
  };
}

function verdictOf(
  held: readonly HeldFeature[],
  uncovered: readonly ('ask' | 'hold')[],
): Hold['verdict'] {
  if (held.length > 0 || uncovered.includes('hold')) return 'held';
  return uncovered.length > 0 ? 'ask' : 'pass';
}

function heldFeature(
  subject: Subject,
  { assessed: { feature, definedBy, fingerprint }, reason, inWorktree }: Explained,
): HeldFeature {
  const smoke = feature.smoke.map((test) => test.command);
  return { name: feature.name, definedBy, fingerprint, smoke, subject, reason, inWorktree };
}
