import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

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
      ),
    )
    .action(async (options: SyncOptions) => {
      process.exitCode = await runOrchestrateSync(context(), options);
    });
}

export async function runOrchestrateSync(
  context: Context,
  options: SyncOptions,
): Promise<ExitCode> {
  const [{ world, run }, { tick }, { laneStore }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/tick.ts'),
    import('../../store/lanes.ts'),
  ]);
  let report = await tick(world, run);
  const lanes = laneStore(world.store);
  if (options.wait) {
    const { untilIdle } = await import('../../lanes/wait.ts');
    await untilIdle(
      world,
      lanes.ofRun(run.id).map(({ id }) => id),
      context.progress,
    );
    // What waited has had its turn, or waits for something else by now.
    report = { ...report, waiting: (await tick(world, run)).waiting };
  }
  const parts = [
    ...report.takenOver.map((key) => `took over ${key}`),
    ...report.started.map((key) => `started ${key}`),
    ...Object.entries(report.waiting).map(
      ([key, why]) => `${key} waits: ${printableLine(why, 400)}`,
    ),
  ];
  context.print({ ...report, lanes: lanes.ofRun(run.id) }, parts.join('\n') || 'Nothing to do');
  return ExitCode.done;
}
