/** May it leave? The gate's answer for a commit and for a shell command. */
import type { Refusal } from '../evidence/notes.ts';
import type { GateAnswer } from '../gate/decide.ts';
import { denialText } from '../gate/denial.ts';
import { holdOn } from '../gate/hold.ts';
import type { Finding } from '../recognise/finding.ts';
import type { Evidence } from '../store/evidence.ts';
import { type AppContext, openEvidenceProject } from './context.ts';
import { comparisonOf, gitOf, type HoldData, holdData, type Revisions } from './holds.ts';

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

export interface CommitWish extends Revisions {
  /** A file that says who may sign evidence. */
  readonly allowedSigners?: string | undefined;
}

/** The evidence of others counts here as far as the policy says so; a hook knows only the store. */
export async function judgeCommit(context: AppContext, wish: CommitWish): Promise<CommitAnswer> {
  const [{ evidenceInNotes }, { withScratch }, { trustBetween }] = await Promise.all([
    import('../evidence/notes.ts'),
    import('../evidence/signing.ts'),
    import('../evidence/judge.ts'),
  ]);
  const workspace = await openEvidenceProject(context);
  const comparison = await comparisonOf(workspace, wish);
  const git = gitOf(workspace);
  const trust = await trustBetween(workspace, git, comparison, wish.allowedSigners);
  const now = context.now();
  return withScratch(context.env, async (scratch) => {
    const shared = evidenceInNotes({ git, trust, now, scratch }, comparison.subject.oid);
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
  const [{ recognise }, { readingContext }, { decide }] = await Promise.all([
    import('../recognise/recognise.ts'),
    import('../lifecycle/reading-context.ts'),
    import('../gate/decide.ts'),
  ]);
  const findings = recognise(command, readingContext(cwd, env));
  const answer = await decide(findings, { cwd, env, now, store, program: 'lanehold', command });
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
