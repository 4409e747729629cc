import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { changedSpec, type LaneOptions, priorityOf, withLaneOptions } from '../lane-options.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

type EditOptions = LaneOptions & RunOption;

export function declareLaneEdit(parent: Command, context: () => Context): void {
  withRun(withLaneOptions(parent.command('edit')))
    .description('Change what a lane is asked to do; earlier words are kept')
    .argument('<key>', 'the lane')
    .addHelpText(
      'after',
      examples([
        "lanehold orchestrate lane edit api --validate 'npm test -- api'",
        'another proof',
      ]),
    )
    .action(async (key: string, options: EditOptions) => {
      process.exitCode = await runLaneEdit(context(), key, options);
    });
}

export async function runLaneEdit(
  context: Context,
  key: string,
  options: EditOptions,
): Promise<ExitCode> {
  const [{ laneContext, run }, { editLane }, { findLane }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/edit.ts'),
    import('../../lanes/find.ts'),
  ]);
  const before = findLane(laneContext.store, run, key);
  const actor = actorOf(context);
  const wished = changedSpec(context, before.spec, options);
  const agent =
    options.agent === undefined ? wished.agent : await routed(context, run, options.agent);
  const priority = priorityOf(options);
  const lane = editLane(laneContext, run, key, {
    spec: { ...wished, agent },
    ...(priority === undefined ? {} : { priority }),
    by: actor.name,
    type: 'lane.edited',
  });
  context.print({ lane }, `Lane ${key} is at revision ${lane.specRev}, ${lane.state}`);
  return ExitCode.done;
}

async function routed(
  context: Context,
  run: { readonly repository: string },
  wish: string,
): Promise<string> {
  const [{ openLaneContext }, { settingsFor }, { routeAgent }] = await Promise.all([
    import('../orchestration.ts'),
    import('../../lanes/settings-for.ts'),
    import('../../lanes/workers/routing.ts'),
  ]);
  const { laneContext } = await openLaneContext(context);
  const settings = await settingsFor(laneContext, run.repository);
  return routeAgent(wish, actorOf(context).agent, settings, context.env).name;
}

type WidenOptions = RunOption & { readonly touches?: readonly string[] };

export function declareLaneWiden(parent: Command, context: () => Context): void {
  withRun(parent.command('widen'))
    .description('Let a lane touch more files, and verify again what it has done')
    .argument('<key>', 'the lane')
    .option('--touches <glob...>', 'the files that are added')
    .addHelpText(
      'after',
      examples([
        "lanehold orchestrate lane widen api --touches 'docs/api/**'",
        'accept that as well',
      ]),
    )
    .action(async (key: string, options: WidenOptions) => {
      process.exitCode = await runLaneWiden(context(), key, options);
    });
}

export async function runLaneWiden(
  context: Context,
  key: string,
  options: WidenOptions,
): Promise<ExitCode> {
  const added = options.touches ?? [];
  if (added.length === 0) {
    throw new UsageError('nothing was named to widen by', { hint: "give --touches 'docs/**'" });
  }
  const [{ laneContext, run }, { editLane }, { findLane }, { verifyLane }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/edit.ts'),
    import('../../lanes/find.ts'),
    import('../../lanes/verify-lane.ts'),
  ]);
  const by = actorOf(context).name;
  const { spec, headSha } = findLane(laneContext.store, run, key);
  const touches = [...new Set([...spec.touches, ...added])];
  const lane = editLane(laneContext, run, key, {
    spec: { ...spec, touches },
    by,
    type: 'lane.widened',
  });
  if (headSha === null) {
    context.print({ lane }, `Lane ${key} may touch ${printableLine(touches.join(', '), 400)}`);
    return ExitCode.done;
  }
  const ended = await verifyLane(laneContext, run, lane, context.progress);
  context.print({ lane: ended.lane, validation: ended.validation }, ended.text);
  return ended.lane.state === 'verified' ? ExitCode.done : ExitCode.held;
}
