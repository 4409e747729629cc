import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

export function declareOrchestrateLand(parent: Command, context: () => Context): void {
  withRun(parent.command('land'))
    .description('Move your branch forward to the integration, if nothing of yours is in the way')
    .addHelpText(
      'after',
      examples(['lanehold orchestrate land', 'by fast-forward; exit code 3: not now, and why']),
    )
    .action(async (options: RunOption) => {
      process.exitCode = await runOrchestrateLand(context(), options);
    });
}

export async function runOrchestrateLand(context: Context, options: RunOption): Promise<ExitCode> {
  const [{ laneContext, run }, { land }, { landText }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/integration/land.ts'),
    import('../render/integration.ts'),
  ]);
  const report = await land(laneContext, run);
  context.print(report, landText(report));
  return report.verdict === 'landed' ? ExitCode.done : ExitCode.held;
}
