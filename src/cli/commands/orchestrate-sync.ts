import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { WAIT_EXIT_CODES } from '../render/wait-help.ts';

type SyncOptions = RunOption & { readonly wait?: boolean };

export function declareOrchestrateSync(parent: Command, context: () => Context): void {
  withRun(parent.command('sync'))
    .description('Look at every lane, take over what was left alone, start what can start')
    .option('--wait', 'until no lane is at work any more')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate sync', 'after a crash or a reboot'],
        ['lanehold orchestrate sync --wait', 'and come back when everything has ended'],
      ) + WAIT_EXIT_CODES,
    )
    .action(async (options: SyncOptions) => {
      process.exitCode = await runOrchestrateSync(context(), options);
    });
}

export async function runOrchestrateSync(
  context: Context,
  options: SyncOptions,
): Promise<ExitCode> {
  const [{ laneContext, run }, { tick }, { laneStore }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/tick.ts'),
    import('../../store/lanes.ts'),
  ]);
  const report = await tick(laneContext, run);
  const lanes = laneStore(laneContext.store);
  const awaited = options.wait
    ? await (await import('../await-lanes.ts')).awaitLanes(
        context,
        { laneContext, run },
        lanes.ofRun(run.id),
      )
    : undefined;
  const { waiting } = awaited ?? report;
  const parts = [
    ...report.takenOver.map((key) => `took over ${key}`),
    ...report.started.map((key) => `started ${key}`),
    ...Object.entries(waiting).map(([key, why]) => `${key} waits: ${printableLine(why, 400)}`),
    ...(awaited?.lines ?? []),
  ];
  context.print(
    { ...report, waiting, lanes: lanes.ofRun(run.id), ...awaited?.json },
    parts.join('\n') || 'Nothing to do',
  );
  return awaited?.exitCode ?? ExitCode.done;
}
