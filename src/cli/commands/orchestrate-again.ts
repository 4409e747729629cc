import type { Command } from 'commander';
import { actorOf } from '../../actor.ts';
import { ExitCode } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { runLaneEdit } from './orchestrate-lane-edit.ts';

type AgainOptions = RunOption & { readonly agent?: string; readonly wait?: boolean };

export function declareOrchestrateRetry(parent: Command, context: () => Context): void {
  withRun(parent.command('retry'))
    .description('Work on a lane again, from where it was left')
    .argument('<key>', 'the lane')
    .option('--agent <name>', 'let another agent do it')
    .option('--wait', 'until it is not at work any more')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate retry api', 'the worker is told why it was refused'],
        ['lanehold orchestrate retry api --agent opposite', 'somebody else goes on'],
      ),
    )
    .action(async (key: string, options: AgainOptions) => {
      process.exitCode = await runOrchestrateAgain(context(), key, options);
    });
}

export async function runOrchestrateAgain(
  context: Context,
  key: string,
  options: AgainOptions,
): Promise<ExitCode> {
  const [{ world, run }, { wantLane, assertIdle }, { findLane }, { tick }, { keepLogin }] =
    await Promise.all([
      openOrchestration(context, options),
      import('../../lanes/edit.ts'),
      import('../../lanes/find.ts'),
      import('../../lanes/tick.ts'),
      import('../../lanes/hire.ts'),
    ]);
  assertIdle(world, findLane(world.store, run, key));
  if (options.agent !== undefined) {
    const quiet = { ...context, print: () => undefined };
    await runLaneEdit(quiet, key, {
      agent: options.agent,
      ...(options.run === undefined ? {} : { run: options.run }),
    });
  }
  await keepLogin(world, run, findLane(world.store, run, key));
  wantLane(world, run, findLane(world.store, run, key), actorOf(context).name);
  const { waiting } = await tick(world, run);
  if (options.wait) {
    const { untilIdle } = await import('../../lanes/wait.ts');
    await untilIdle(world, [findLane(world.store, run, key).id], context.progress);
  }
  const lane = findLane(world.store, run, key);
  const why = waiting[key] === undefined ? '' : ` (${printableLine(waiting[key], 400)})`;
  context.print({ lane, waiting: waiting[key] ?? null }, `${key}: ${lane.state}${why}`);
  return ExitCode.done;
}
