import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { AGENTS } from '../../agents/registry.ts';
import { ExitCode } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { type LaneOptions, newSpec, priorityOf, withLaneOptions } from '../lane-options.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

type Options = LaneOptions & RunOption & { readonly worktree: string };

export function declareLaneAdopt(parent: Command, context: () => Context): void {
  withRun(withLaneOptions(parent.command('adopt')))
    .description('Take a worktree and branch that somebody else made as a lane')
    .argument('<key>', 'a short name for it')
    .requiredOption('--worktree <folder>', 'a linked worktree of this repository, on a branch')
    .addHelpText(
      'after',
      examples([
        "lanehold orchestrate lane adopt spike --worktree ../spike --desc 'Try …' --validate 'npm test'",
        "a subagent's tree, judged like every other lane",
      ]),
    )
    .action(async (key: string, options: Options) => {
      process.exitCode = await runLaneAdopt(context(), key, options);
    });
}

export async function runLaneAdopt(
  context: Context,
  key: string,
  options: Options,
): Promise<ExitCode> {
  const [{ laneContext, run }, { adoptLane }, { settingsFor }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/adopt-lane.ts'),
    import('../../lanes/settings-for.ts'),
  ]);
  const settings = await settingsFor(laneContext, run.repository);
  const spec = newSpec(context, options, settings);
  const actor = actorOf(context);
  const lane = await adoptLane(laneContext, run, {
    key,
    spec: {
      ...spec,
      agent: spec.agent === 'current' ? (actor.agent ?? AGENTS[0]?.name ?? 'unknown') : spec.agent,
    },
    priority: priorityOf(options) ?? 0,
    by: actor.name,
    worktree: options.worktree,
    cwd: context.cwd,
  });
  context.print(
    { lane },
    `Adopted ${printableLine(lane.worktree ?? '', 400)} on branch ${printableLine(lane.branch, 300)} as lane ${key}\nVerify it: lanehold orchestrate verify ${key}`,
  );
  return ExitCode.done;
}
