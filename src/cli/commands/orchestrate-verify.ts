import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

export function declareOrchestrateVerify(parent: Command, context: () => Context): void {
  withRun(parent.command('verify'))
    .description("Take what lies in a lane's worktree and run its validation, without a worker")
    .argument('<key>', 'the lane')
    .addHelpText(
      'after',
      examples(['lanehold orchestrate verify api', 'after you mended something in its worktree']),
    )
    .action(async (key: string, options: RunOption) => {
      process.exitCode = await runOrchestrateVerify(context(), key, options);
    });
}

export async function runOrchestrateVerify(
  context: Context,
  key: string,
  options: RunOption,
): Promise<ExitCode> {
  const [{ laneContext, run }, { findLane }, { verifyLane }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/find.ts'),
    import('../../lanes/verify-lane.ts'),
  ]);
  const lane = findLane(laneContext.store, run, key);
  const {
    lane: after,
    validation,
    text,
  } = await verifyLane(laneContext, run, lane, context.progress);
  context.print({ lane: after, validation }, text);
  return after.state === 'verified' ? ExitCode.done : ExitCode.held;
}
