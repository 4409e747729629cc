/** May it leave? The gate's answer for a commit, for a shell command and for the working tree. */
import { UsageError } from '../errors.ts';
import { evidenceInNotes, type Refusal } from '../evidence/from-notes.ts';
import { withScratch } from '../evidence/ssh-signature.ts';
import { trustBetween } from '../evidence/trust.ts';
import type { Comparison, Subject } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { decide, type GateAnswer } from '../gate/decide.ts';
import { denialText, heldText } from '../gate/denial.ts';
import { type HeldFeature, type Hold, holdOn } from '../gate/hold.ts';
import { ordinarily, pendingHold } from '../gate/pending.ts';
import type { Git } from '../git/git.ts';
import { commitOf } from '../git/refs.ts';
import { readingContext } from '../lifecycle/reading-context.ts';
import type { Finding } from '../recognise/finding.ts';
import { recognise } from '../recognise/recognise.ts';
import type { Evidence } from '../store/evidence.ts';
import { type AppContext, openEvidenceProject, openProject } from './context.ts';
import { subjectAt } from './verification.ts';

/** A feature that is held, as programs read it. */
export interface HeldData {
  readonly feature: string;
  readonly definedBy: HeldFeature['definedBy'];
  readonly fingerprint: string;
  readonly smoke: readonly string[];
  readonly reason: HeldFeature['reason']['kind'];
  readonly changedFiles?: readonly string[];
  /** Id of the record that the reason is about. */
  readonly evidence?: number;
  /** A commit, or what else would leave: `worktree`. */
  readonly at: string;
}

/** A hold as programs read it: stable keys, no prose. */
export interface HoldData {
  readonly verdict: Hold['verdict'];
  readonly held: readonly HeldData[];
  /** Names of the affected features that may leave. */
  readonly verified: readonly string[];
  readonly uncovered: readonly string[];
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

function holdData({ verdict, features, verified, uncovered }: Hold): HoldData {
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

/** Revisions as they were written; HEAD, and what the upstream branch has. */
export interface Revisions {
  readonly head?: string | undefined;
  readonly base?: string | undefined;
}

/** A commit against what others have. */
export type CommitComparison = Comparison & {
  readonly subject: { readonly kind: 'revision'; readonly oid: string };
  /**
   * The revision whose policy and signers count: what the caller compares with, else the default
   * branch. Not the upstream branch: it may be the author's own, and need not be reviewed.
   */
  readonly trusted: string | undefined;
};

/** @throws {UsageError} if there is no such revision. */
export async function comparisonOf(
  workspace: Workspace,
  { head = 'HEAD', base }: Revisions,
): Promise<CommitComparison> {
  const { git } = workspace;
  const subject = { kind: 'revision', oid: await commitOf(git, head) } as const;
  if (base === undefined) {
    const comparison = await ordinarily(workspace, subject);
    return { ...comparison, subject, trusted: comparison.published[0] ?? comparison.base };
  }
  const tip = await commitOf(git, base);
  // What the base got since the branch left it, the branch does not take away.
  const fork = (await git?.maybe(['merge-base', tip, subject.oid]))?.trim();
  return { subject, base: fork ?? tip, published: [tip], trusted: tip };
}

/** @throws {UsageError} in a folder without git. */
export function gitOf({ git }: Workspace): Git {
  if (git !== undefined) return git;
  throw new UsageError('this folder is not in a git repository, so no evidence travels with it', {
    hint: 'give `--project <repository>`',
  });
}

export interface CommitAnswer {
  readonly data: HoldData & { readonly refusedEvidence: readonly Refusal[] };
  readonly held: boolean;
  /** The verdict and the way out, in the words of a denial; empty if it may leave. */
  readonly denial: string;
  /** Evidence of others about what may leave. */
  readonly accepted: readonly Evidence[];
  /** How many notes are too large to be read, or too many. */
  readonly unread: number;
}

interface CommitWish extends Revisions {
  /** A file that says who may sign evidence. */
  readonly allowedSigners?: string | undefined;
}

/** The evidence of others counts here as far as the policy says so; a hook knows only the store. */
export async function judgeCommit(context: AppContext, wish: CommitWish): Promise<CommitAnswer> {
  const workspace = await openEvidenceProject(context);
  const comparison = await comparisonOf(workspace, wish);
  const git = gitOf(workspace);
  const { subject, trusted } = comparison;
  const sides = { head: subject.oid, base: trusted };
  const trust = await trustBetween(workspace, git, sides, wish.allowedSigners);
  const now = context.now();
  return withScratch(context.env, async (scratch) => {
    const shared = evidenceInNotes({ git, trust, now, scratch }, subject.oid);
    const hold = await holdOn({ ...workspace, shared }, [comparison], now, {
      severity: ({ kinds }) => kinds.push,
    });
    const names = new Set(hold.features.map(({ name }) => name));
    const refusedEvidence = shared.refusals.filter(({ feature }) => names.has(feature));
    const held = hold.verdict !== 'pass';
    const situation = { what: `\`${wish.head ?? 'HEAD'}\``, program: 'lanehold', now };
    return {
      data: { ...holdData(hold), refusedEvidence },
      held,
      denial: held ? denialText(hold, situation) : '',
      accepted: shared.accepted.filter(({ feature }) => hold.verified.includes(feature)),
      unread: shared.unread,
    };
  });
}

type AnswerFacts<T> = T extends unknown ? Omit<T, 'workspace'> : never;

/** A finding under the names of the JSON output, where `tricks` are the hook bypasses. */
export type FindingData = AsData<Finding>;
type AsData<T> = T extends { bypasses?: infer Bypasses }
  ? Omit<T, 'bypasses'> & { tricks?: Bypasses }
  : T;

/** What the hook of an agent would answer, and what was found in the command. */
export type ShellCommandAnswer = AnswerFacts<GateAnswer> & {
  readonly findings: readonly FindingData[];
};

export async function judgeShellCommand(
  { cwd, env, now, store }: AppContext,
  command: string,
): Promise<ShellCommandAnswer> {
  const findings = recognise(command, readingContext(cwd, env));
  const answer = await decide(findings, { cwd, env, now, store, program: 'lanehold' });
  return { ...withoutWorkspace(answer), findings: findings.map(findingData) };
}

function withoutWorkspace(answer: GateAnswer): AnswerFacts<GateAnswer> {
  if (answer.decision === 'none') return answer;
  const { workspace: _, ...facts } = answer;
  return facts;
}

function findingData(finding: Finding): FindingData {
  if (!('bypasses' in finding)) return finding;
  const { bypasses: tricks, ...rest } = finding;
  return { ...rest, tricks };
}
