import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { ExitCode } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { WAIT_EXIT_CODES } from '../render/wait-help.ts';
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
      ) + WAIT_EXIT_CODES,
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
  const [{ laneContext, run }, { wantLane, assertIdle }, { findLane }, { tick }, { keepLogin }] =
    await Promise.all([
      openOrchestration(context, options),
      import('../../lanes/edit.ts'),
      import('../../lanes/find.ts'),
      import('../../lanes/tick.ts'),
      import('../../lanes/resolved-worker.ts'),
    ]);
  assertIdle(laneContext, findLane(laneContext.store, run, key));
  if (options.agent !== undefined) {
    const quiet = { ...context, print: () => ExitCode.done };
    await runLaneEdit(quiet, key, {
      agent: options.agent,
      ...(options.run === undefined ? {} : { run: options.run }),
    });
  }
  await keepLogin(laneContext, run, findLane(laneContext.store, run, key));
  wantLane(laneContext, run, findLane(laneContext.store, run, key), actorOf(context).name);
  const started = await tick(laneContext, run);
  const awaited = options.wait
    ? await (await import('../await-lanes.ts')).awaitLanes(context, { laneContext, run }, [
        findLane(laneContext.store, run, key),
      ])
    : undefined;
  const lane = findLane(laneContext.store, run, key);
  const waits = (awaited ?? started).waiting[key];
  const why = waits === undefined ? '' : ` (${printableLine(waits, 400)})`;
  context.print(
    { lane, waiting: waits ?? null, ...awaited?.json },
    [`${key}: ${lane.state}${why}`, ...(awaited?.lines ?? [])].join('\n'),
  );
  return awaited?.exitCode ?? ExitCode.done;
}
