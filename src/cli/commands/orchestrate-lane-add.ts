import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { type LaneOptions, newSpec, priorityOf, withLaneOptions } from '../lane-options.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

type Options = LaneOptions & RunOption & { readonly spawn?: boolean };

export function declareLaneAdd(parent: Command, context: () => Context): void {
  withRun(withLaneOptions(parent.command('add')))
    .description('Add a lane: a task, the files it may touch, and the command that proves it')
    .argument('<key>', 'a short name, such as `api`')
    .option('--spawn', 'start it as soon as it can')
    .addHelpText(
      'after',
      examples(
        [
          "lanehold orchestrate lane add api --desc 'Add …' --touches 'src/api/**' --validate 'npm test'",
          'one lane',
        ],
        [
          "lanehold orchestrate lane add ui --desc - --needs api --agent opposite --validate 'npm test' --spawn < task.md",
          'starts from what `api` verified',
        ],
      ),
    )
    .action(async (key: string, options: Options) => {
      process.exitCode = await runLaneAdd(context(), key, options);
    });
}

export async function runLaneAdd(
  context: Context,
  key: string,
  options: Options,
): Promise<ExitCode> {
  const [{ laneContext, run }, { addLane, wantLane }, { settingsFor }, { routeAgent }] =
    await Promise.all([
      openOrchestration(context, options),
      import('../../lanes/edit.ts'),
      import('../../lanes/settings-for.ts'),
      import('../../lanes/workers/routing.ts'),
    ]);
  const settings = await settingsFor(laneContext, run.repository);
  const actor = actorOf(context);
  const wished = newSpec(context, options, settings);
  const worker = routeAgent(wished.agent, actor.agent, settings, context.env);
  const lane = addLane(laneContext, run, {
    key,
    spec: { ...wished, agent: worker.name },
    priority: priorityOf(options) ?? 0,
    by: actor.name,
  });
  if (options.spawn) {
    const [{ tick }, { keepLogin }] = await Promise.all([
      import('../../lanes/tick.ts'),
      import('../../lanes/resolved-worker.ts'),
    ]);
    await keepLogin(laneContext, run, lane);
    wantLane(laneContext, run, lane, actor.name);
    await tick(laneContext);
  }
  const next = options.spawn
    ? 'See: lanehold orchestrate status'
    : `Start it: lanehold orchestrate spawn ${key}`;
  context.print({ lane }, `Added lane ${key} for ${worker.name}\n${next}`);
  return ExitCode.done;
}
