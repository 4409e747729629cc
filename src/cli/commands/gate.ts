import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { Comparison } from '../../features/assess.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { Hold } from '../../gate/hold.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openContextWorkspace } from '../workspace.ts';

type Options = {
  readonly base?: string;
  readonly head?: string;
  readonly command?: string;
  readonly format?: string;
};

const FORMATS = ['text', 'json', 'github'] as const;
type Format = (typeof FORMATS)[number];

export function declareGate(parent: Command, context: () => Context): void {
  parent
    .command('gate')
    .description('Say whether content may leave: exit code 0 pass, 3 held, 1 cannot tell')
    .option('--base <revision>', 'what others have; default: what the upstream branch has')
    .option('--head <revision>', 'what leaves; default: HEAD')
    .option('--command <text>', 'judge this shell command, as the hook of an agent would')
    .option(
      '--format <format>',
      `${FORMATS.join(', ')}; github writes workflow annotations`,
      'text',
    )
    .addHelpText(
      'after',
      examples(
        ['lanehold gate', 'may HEAD be pushed?'],
        ['lanehold gate --base origin/main --head HEAD --format github', 'in a workflow'],
        ["lanehold gate --command 'git push origin main'", 'what would the hook say?'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runGate(context(), options);
    });
}

export async function runGate(context: Context, options: Options): Promise<ExitCode> {
  const format = context.json ? 'json' : formatOf(options.format ?? 'text');
  if (options.command !== undefined) {
    if (options.base !== undefined || options.head !== undefined) {
      throw new UsageError('--command says itself what leaves', {
        hint: 'leave out --base and --head',
      });
    }
    return judgeCommand(context, options.command, format);
  }
  const [{ holdOn }, { denialText }] = await Promise.all([
    import('../../gate/hold.ts'),
    import('../../gate/denial.ts'),
  ]);
  const workspace = await openContextWorkspace(context);
  const comparison = await comparisonOf(workspace, options);
  const now = context.now();
  const hold = await holdOn(workspace, [comparison], now, {
    severity: ({ kinds }) => kinds.push,
  });
  const what = `\`${options.head ?? 'HEAD'}\``;
  const text =
    hold.verdict === 'pass' ? passText(hold) : denialText(hold, { what, program: 'lanehold', now });
  await print(context, format, hold, text);
  return hold.verdict === 'pass' ? ExitCode.done : ExitCode.held;
}

function formatOf(written: string): Format {
  const format = FORMATS.find((it) => it === written);
  if (format !== undefined) return format;
  throw new UsageError(`there is no format \`${written}\``, {
    hint: `one of ${FORMATS.join(', ')}`,
  });
}

async function comparisonOf(workspace: Workspace, options: Options): Promise<Comparison> {
  const [{ commitOf }, { ordinarily }] = await Promise.all([
    import('../../project/revision.ts'),
    import('../../gate/pending.ts'),
  ]);
  const { git } = workspace;
  const oid = await commitOf(git, options.head ?? 'HEAD');
  const subject = { kind: 'revision', oid } as const;
  if (options.base === undefined) return ordinarily(workspace, subject);
  return { subject, base: await commitOf(git, options.base), published: [] };
}

function passText({ verified }: Hold): string {
  if (verified.length === 0) return 'Pass: no feature is affected';
  return `Pass: ${verified.join(', ')} verified for exactly what leaves`;
}

async function judgeCommand(context: Context, command: string, format: Format): Promise<ExitCode> {
  const [{ recognise }, { decide }, { readingContext }, { openStore }, { homeOf }] =
    await Promise.all([
      import('../../gate/recognise/recognise.ts'),
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
  await print(context, format, { ...facts, findings }, text, held);
  if ('cannotTell' in answer) return ExitCode.failed;
  return held ? ExitCode.held : ExitCode.done;
}

async function print(
  context: Context,
  format: Format,
  result: Hold | object,
  text: string,
  held = 'verdict' in result && result.verdict !== 'pass',
): Promise<void> {
  const [{ holdData }, { githubAnnotations }] = await Promise.all([
    import('../render/hold.ts'),
    import('../render/github.ts'),
  ]);
  const data = 'verified' in result ? holdData(result as Hold) : result;
  if (format === 'json') context.print(data, JSON.stringify(data, null, 2));
  else context.print(data, format === 'github' ? githubAnnotations(text, held) : text);
}
