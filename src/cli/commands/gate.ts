import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { Refusal } from '../../evidence/from-notes.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { Hold } from '../../gate/hold.ts';
import type { Finding } from '../../recognise/finding.ts';
import type { Evidence } from '../../store/evidence.ts';
import type { CommitComparison } from '../comparison.ts';
import type { Context } from '../context.ts';
import { FORMATS, formatOf, type Reporter, reporter } from '../gate-report.ts';
import { examples } from '../render/examples.ts';
import { openEvidenceWorkspace } from '../workspace.ts';

type Options = {
  readonly base?: string;
  readonly head?: string;
  readonly command?: string;
  readonly explain?: boolean;
  readonly format?: string;
  readonly allowedSigners?: string;
};

export function declareGate(parent: Command, context: () => Context): void {
  parent
    .command('gate')
    .description('Say whether content may leave: exit code 0 pass, 3 held, 1 cannot tell')
    .option('--base <revision>', 'what others have; default: what the upstream branch has')
    .option('--head <revision>', 'what leaves; default: HEAD')
    .option('--command <text>', 'judge this shell command, as the hook of an agent would')
    .option('--explain', 'with --command: what was found in it, how sure, and where')
    .option(
      '--format <format>',
      `${FORMATS.join(', ')}; github writes workflow annotations`,
      'text',
    )
    .option(
      '--allowed-signers <file>',
      'who may sign evidence; default: the file of the base, or your own',
    )
    .addHelpText(
      'after',
      examples(
        ['lanehold gate', 'may HEAD be pushed?'],
        ['lanehold gate --base origin/main --head HEAD --format github', 'in a workflow'],
        ["lanehold gate --command 'git push origin main'", 'what would the hook say?'],
        ["lanehold gate --command 'make ship' --explain", 'what does it make of a command?'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runGate(context(), options);
    });
}

export async function runGate(context: Context, options: Options): Promise<ExitCode> {
  const format = context.json ? 'json' : formatOf(options.format ?? 'text');
  const report = reporter(context, format);
  try {
    const { command, explain } = options;
    if (explain && command === undefined) {
      throw new UsageError('--explain explains a command', { hint: "add --command '…'" });
    }
    return command === undefined
      ? await judgeCommit(context, options, report)
      : await judgeCommand(context, command, options, report);
  } catch (error) {
    report.cannotTell(error);
    throw error;
  }
}

async function judgeCommit(
  context: Context,
  options: Options,
  report: Reporter,
): Promise<ExitCode> {
  const [{ denialText }, { comparisonOf }, { holdData, refusalLines, voucherLines }] =
    await Promise.all([
      import('../../gate/denial.ts'),
      import('../comparison.ts'),
      import('../render/hold.ts'),
    ]);
  const workspace = await openEvidenceWorkspace(context);
  const comparison = await comparisonOf(workspace, options);
  const { hold, accepted, refusals, unread } = await holdWithNotes(
    context,
    workspace,
    comparison,
    options,
  );
  const held = hold.verdict !== 'pass';
  const situation = {
    what: `\`${options.head ?? 'HEAD'}\``,
    program: 'lanehold',
    now: context.now(),
  };
  const text = held
    ? [denialText(hold, situation), ...refusalLines(refusals, unread)]
    : [passText(hold), ...voucherLines(accepted)];
  report.answer({ ...holdData(hold), refusedEvidence: refusals }, text.join('\n'), held);
  return held ? ExitCode.held : ExitCode.done;
}

interface NotedHold {
  readonly hold: Hold;
  /** Evidence of others about what may leave. */
  readonly accepted: readonly Evidence[];
  /** Evidence about what is held that does not count. */
  readonly refusals: readonly Refusal[];
  /** Notes that are too large to be read, or too many. */
  readonly unread: number;
}

/** The evidence of others counts here as far as the policy says so; a hook knows only the store. */
async function holdWithNotes(
  context: Context,
  workspace: Workspace,
  comparison: CommitComparison,
  { allowedSigners }: Options,
): Promise<NotedHold> {
  const [{ holdOn }, { evidenceInNotes }, { trustBetween }, { withScratch }, { gitOf }] =
    await Promise.all([
      import('../../gate/hold.ts'),
      import('../../evidence/from-notes.ts'),
      import('../../evidence/trust.ts'),
      import('../../evidence/ssh-signature.ts'),
      import('../comparison.ts'),
    ]);
  const git = gitOf(workspace);
  const { subject, trusted } = comparison;
  const sides = { head: subject.oid, base: trusted };
  const trust = await trustBetween(workspace, git, sides, allowedSigners);
  const now = context.now();
  return withScratch(context.env, async (scratch) => {
    const shared = evidenceInNotes({ git, trust, now, scratch }, subject.oid);
    const hold = await holdOn({ ...workspace, shared }, [comparison], now, {
      severity: ({ kinds }) => kinds.push,
    });
    const held = new Set(hold.features.map(({ name }) => name));
    const accepted = shared.accepted.filter(({ feature }) => hold.verified.includes(feature));
    const refusals = shared.refusals.filter(({ feature }) => held.has(feature));
    return { hold, accepted, refusals, unread: shared.unread };
  });
}

function passText({ verified }: Hold): string {
  if (verified.length === 0) return 'Pass: no feature is affected';
  return `Pass: ${verified.join(', ')} verified for exactly what leaves`;
}

async function judgeCommand(
  context: Context,
  command: string,
  { base, head, explain = false }: Options,
  report: Reporter,
): Promise<ExitCode> {
  if (base !== undefined || head !== undefined) {
    throw new UsageError('--command says itself what leaves', {
      hint: 'leave out --base and --head',
    });
  }
  const [{ recognise }, { decide }, { readingContext }, { openStore }, { homeOf }] =
    await Promise.all([
      import('../../recognise/recognise.ts'),
      import('../../gate/decide.ts'),
      import('../../lifecycle/reading-context.ts'),
      import('../../store/open.ts'),
      import('../../store/home.ts'),
    ]);
  const { cwd, env, now } = context;
  const findings = recognise(command, readingContext(cwd, env));
  const store = () => openStore(homeOf(env));
  const answer = await decide(findings, { cwd, env, now, store, program: 'lanehold' });
  const held = answer.decision === 'deny' || answer.decision === 'ask';
  const text = held
    ? answer.reason
    : answer.decision === 'pass'
      ? `Pass: \`${answer.rule}\` may run`
      : 'Pass: nothing in this command leaves the machine';
  const { workspace: _, ...facts } = { workspace: undefined, ...answer };
  report.answer(
    { ...facts, findings: findings.map(published) },
    explain ? await explained(text, findings) : text,
    held,
  );
  if ('cannotTell' in answer) return ExitCode.failed;
  return held ? ExitCode.held : ExitCode.done;
}

/** A finding under the names of the JSON output, where `tricks` are the hook bypasses. */
function published(finding: Finding): object {
  if (!('bypasses' in finding)) return finding;
  const { bypasses: tricks, ...rest } = finding;
  return { ...rest, tricks };
}

async function explained(text: string, findings: readonly Finding[]): Promise<string> {
  const { findingsText } = await import('../render/findings.ts');
  return `${text}\n\n${findingsText(findings)}`;
}
