import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { ExitCode } from '../../errors.ts';
import type { RunIntent } from '../../store/runs.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { runOrchestrateAgain } from './orchestrate-again.ts';

type PauseOptions = RunOption & { readonly reason?: string };

export function declareOrchestratePause(parent: Command, context: () => Context): void {
  withRun(parent.command('pause'))
    .description('Stop all workers of the run, keep what they did, start nothing by itself')
    .option('--reason <text>', 'why')
    .addHelpText(
      'after',
      examples(["lanehold orchestrate pause --reason 'lunch'", 'until `resume`']),
    )
    .action(async (options: PauseOptions) => {
      process.exitCode = await changeRun(context(), options, 'paused', options.reason ?? null);
    });
}

export function declareOrchestrateResume(parent: Command, context: () => Context): void {
  withRun(parent.command('resume'))
    .description('Let a paused run go on, or a parked lane, without waiting for its time')
    .argument('[key]', 'only this lane')
    .option('--agent <name>', 'let another agent go on with the lane')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate resume', 'the whole run'],
        ['lanehold orchestrate resume api --agent opposite', 'one lane, by another agent'],
      ),
    )
    .action(async (key: string | undefined, options: RunOption & { readonly agent?: string }) => {
      process.exitCode =
        key === undefined
          ? await changeRun(context(), options, 'active', null)
          : await resumeLane(context(), key, options);
    });
}

async function resumeLane(
  context: Context,
  key: string,
  options: RunOption & { readonly agent?: string },
): Promise<ExitCode> {
  const [{ laneContext, run }, { retryAccountNow }, { findLane }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/edit.ts'),
    import('../../lanes/find.ts'),
  ]);
  if (options.agent === undefined) {
    retryAccountNow(laneContext, findLane(laneContext.store, run, key), actorOf(context).name);
  }
  return await runOrchestrateAgain(context, key, options);
}

export function declareOrchestrateCancel(parent: Command, context: () => Context): void {
  withRun(parent.command('cancel'))
    .description('End the run and all its lanes for good; what they did is kept')
    .addHelpText('after', examples(['lanehold orchestrate cancel --run billing', 'that one']))
    .action(async (options: RunOption) => {
      process.exitCode = await changeRun(context(), options, 'cancelled', null);
    });
}

const DONE = {
  active: 'goes on',
  paused: 'is paused',
  cancelled: 'is cancelled',
  closed: 'is closed',
} as const satisfies Record<RunIntent, string>;

async function changeRun(
  context: Context,
  options: RunOption,
  intent: RunIntent,
  reason: string | null,
): Promise<ExitCode> {
  const [
    { laneContext, run },
    { setRunIntent },
    { tick },
    { untilIdle },
    { laneStore },
    { runStore },
  ] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/run.ts'),
    import('../../lanes/tick.ts'),
    import('../../lanes/wait.ts'),
    import('../../store/lanes.ts'),
    import('../../store/runs.ts'),
  ]);
  setRunIntent(laneContext, run, { intent, reason, by: actorOf(context).name });
  await tick(laneContext);
  if (intent !== 'active') {
    const lanes = laneStore(laneContext.store).ofRun(run.id);
    const working = lanes.filter(({ state }) => intent === 'cancelled' || state !== 'validating');
    await untilIdle(
      laneContext,
      working.map(({ id }) => id),
      context.progress,
    );
  }
  context.print(
    { run: runStore(laneContext.store).byId(run.id) },
    `Run ${run.name} ${DONE[intent]}`,
  );
  return ExitCode.done;
}
