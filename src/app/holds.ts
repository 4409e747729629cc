/** What would be held, for programs and in a sentence for each feature. */
import type { Subject } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { heldText } from '../gate/denial.ts';
import type { HeldFeature, Hold } from '../gate/hold.ts';
import { pendingHold } from '../gate/pending.ts';
import { type AppContext, openProject } from './context.ts';
import { subjectAt } from './revisions.ts';

/** A feature that is held, as programs read it. */
export interface HeldData extends Pick<HeldFeature, 'definedBy' | 'fingerprint' | 'smoke'> {
  readonly feature: string;
  readonly reason: HeldFeature['reason']['kind'];
  readonly changedFiles?: readonly string[];
  /** Id of the record that the reason is about. */
  readonly evidence?: number;
  /** A commit, or what else would leave: `worktree`. */
  readonly at: string;
}

/** A hold as programs read it: stable keys, no prose. */
export interface HoldData extends Pick<Hold, 'verdict' | 'verified' | 'uncovered'> {
  readonly held: readonly HeldData[];
}

/** A hold for programs, and for people a sentence for each feature that is held. */
export interface HoldReport {
  readonly data: HoldData;
  readonly sentences: readonly string[];
}

/** What would be held of the working tree, or of a revision, if it left now. */
export async function pendingFeatures(
  context: AppContext,
  { head }: { readonly head?: string | undefined } = {},
): Promise<HoldReport> {
  const workspace = await openProject(context);
  const subject = await subjectAt(workspace, head);
  return holdReport(context, workspace, subject);
}

export async function holdReport(
  { now }: AppContext,
  workspace: Workspace,
  subject: Subject,
): Promise<HoldReport> {
  const hold = await pendingHold(workspace, subject, now());
  return { data: holdData(hold), sentences: hold.features.map((it) => heldText(it, now())) };
}

export function holdData({ verdict, features, verified, uncovered }: Hold): HoldData {
  return { verdict, held: features.map(heldData), verified, uncovered };
}

function heldData(held: HeldFeature): HeldData {
  const { name, definedBy, fingerprint, smoke, reason, subject } = held;
  return {
    feature: name,
    definedBy,
    fingerprint,
    smoke,
    reason: reason.kind,
    ...('files' in reason && reason.files !== undefined ? { changedFiles: reason.files } : {}),
    ...('evidence' in reason ? { evidence: reason.evidence.id } : {}),
    at: subject.kind === 'revision' ? subject.oid : subject.kind,
  };
}
