import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { ExitCode } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

type BlockOptions = RunOption & { readonly reason?: string; readonly clear?: boolean };

export function declareLaneBlock(parent: Command, context: () => Context): void {
  withRun(parent.command('block'))
    .description('Hold a lane back for a reason, or no longer')
    .argument('<key>', 'the lane')
    .option('--reason <text>', 'why', 'no reason given')
    .option('--clear', 'no longer')
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate lane block ui --reason 'waits for the designs'", 'not yet'],
        ['lanehold orchestrate lane block ui --clear', 'it may start'],
      ),
    )
    .action(async (key: string, options: BlockOptions) => {
      process.exitCode = await runLaneBlock(context(), key, options);
    });
}

export async function runLaneBlock(
  context: Context,
  key: string,
  options: BlockOptions,
): Promise<ExitCode> {
  const { laneContext, lane, findAgain } = await openLane(context, key, options);
  const { blockLane } = await import('../../lanes/edit.ts');
  const reason = options.clear ? null : (options.reason ?? '');
  blockLane(laneContext, lane, { reason, by: actorOf(context).name });
  const text =
    reason === null
      ? `Lane ${key} is no longer blocked`
      : `Blocked lane ${key}: ${printableLine(reason, 400)}`;
  context.print({ lane: findAgain() }, text);
  return ExitCode.done;
}

export function declareLaneCancel(parent: Command, context: () => Context): void {
  withRun(parent.command('cancel'))
    .description('End the work on a lane for good; what it did is kept')
    .argument('<key>', 'the lane')
    .addHelpText('after', examples(['lanehold orchestrate lane cancel ui', 'stop its worker']))
    .action(async (key: string, options: RunOption) => {
      process.exitCode = await runLaneCancel(context(), key, options);
    });
}

export async function runLaneCancel(
  context: Context,
  key: string,
  options: RunOption,
): Promise<ExitCode> {
  const { laneContext, lane, findAgain } = await openLane(context, key, options);
  const [{ cancelLane }, { untilIdle }, { tick }] = await Promise.all([
    import('../../lanes/edit.ts'),
    import('../../lanes/wait.ts'),
    import('../../lanes/tick.ts'),
  ]);
  cancelLane(laneContext, lane, actorOf(context).name);
  // A supervisor that died would not see it.
  await tick(laneContext);
  await untilIdle(laneContext, [lane.id], context.progress);
  const kept =
    lane.worktree === null ? '' : `; its work is on branch ${printableLine(lane.branch, 300)}`;
  context.print({ lane: findAgain() }, `Cancelled lane ${key}${kept}`);
  return ExitCode.done;
}

export function declareLaneOpen(parent: Command, context: () => Context): void {
  withRun(parent.command('open'))
    .description("Print the folder of a lane's worktree, to look at it or to work in it")
    .argument('<key>', 'the lane')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate lane open api', 'where it is'],
        ['cd "$(lanehold orchestrate lane open api)"', 'go there'],
      ),
    )
    .action(async (key: string, options: RunOption) => {
      process.exitCode = await runLaneOpen(context(), key, options);
    });
}

export async function runLaneOpen(
  context: Context,
  key: string,
  options: RunOption,
): Promise<ExitCode> {
  const { laneContext, run, lane, findAgain } = await openLane(context, key, options);
  const { openTree } = await import('../../lanes/open-tree.ts');
  const worktree = await openTree(laneContext, run, lane);
  context.print({ worktree, lane: findAgain() }, worktree);
  return ExitCode.done;
}

async function openLane(context: Context, key: string, options: RunOption) {
  const [{ laneContext, run }, { findLane }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/find.ts'),
  ]);
  const lane = findLane(laneContext.store, run, key);
  return { laneContext, run, lane, findAgain: () => findLane(laneContext.store, run, key) };
}
