import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { ReportKind } from '../../store/lane-reports.ts';
import type { Context } from '../context.ts';
import { speak } from '../lane-voice.ts';
import { examples } from '../render/examples.ts';

const KINDS = {
  progress: 'progress',
  blocked: 'blocked',
  note: 'note',
  done: 'claims_done',
} as const satisfies Readonly<Record<string, ReportKind>>;

type Options = { readonly [kind in keyof typeof KINDS]?: boolean };

export function declareOrchestrateReport(parent: Command, context: () => Context): void {
  parent
    .command('report')
    .argument('<text...>', 'what to say; `-` reads it from stdin')
    .description('Say how a lane goes, as its worker; its state is what lanehold finds')
    .option('--progress', 'how far it is; the default')
    .option('--blocked', 'what keeps it from going on')
    .option('--note', 'what others should know')
    .option('--done', 'that it is done; whether it is, the validation says')
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate report 'routes are moved, tests next'", 'inside of a lane'],
        ["lanehold orchestrate report --note 'the old client stays until v3'", 'for the handoff'],
        ['lanehold orchestrate report --done - < summary.md', 'with the text on stdin'],
      ),
    )
    .action(async (text: string[], options: Options) => {
      process.exitCode = await runOrchestrateReport(context(), text, options);
    });
}

export async function runOrchestrateReport(
  context: Context,
  words: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const kind = kindOf(options);
  const { lane, number, id, body } = await speak(context, kind, words);
  const noted = lane === undefined ? 'Left for the coordinator' : `Noted for lane ${lane}`;
  const then =
    kind === 'claims_done' ? '; end your turn, and lanehold validates what is there' : '';
  context.print({ lane: lane ?? null, report: number ?? null, id, kind, body }, `${noted}${then}`);
  return ExitCode.done;
}

function kindOf(options: Options): ReportKind {
  const given = Object.entries(KINDS).filter(([name]) => options[name as keyof typeof KINDS]);
  if (given.length > 1) {
    throw new UsageError(`${given.map(([name]) => `--${name}`).join(' and ')} do not go together`, {
      hint: 'give one of them, or none',
    });
  }
  return given[0]?.[1] ?? 'progress';
}
