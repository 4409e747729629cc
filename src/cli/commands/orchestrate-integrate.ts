import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

type Options = RunOption & { readonly lane?: readonly string[] };

/** What a shell reports for a program that ended on Ctrl-C. */
const INTERRUPTED = 130;

export function declareOrchestrateIntegrate(parent: Command, context: () => Context): void {
  withRun(parent.command('integrate'))
    .description('Merge verified lanes and validate the result, beside every checkout (3: not all)')
    .option(
      '--lane <key...>',
      'only these, with what they start from; also what was refused before',
    )
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate integrate', 'every lane that is verified'],
        ['lanehold orchestrate integrate --lane api', 'that one, once more'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runOrchestrateIntegrate(context(), options);
    });
}

export async function runOrchestrateIntegrate(context: Context, options: Options): Promise<number> {
  const [{ laneContext, run }, { integrate }, { integrationText, isClean }] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/integration/integrate.ts'),
    import('../render/integration.ts'),
  ]);
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    const report = await integrate(laneContext, run, {
      signal: interruption.signal,
      progress: context.progress,
      ...(options.lane === undefined ? {} : { lanes: options.lane }),
    });
    context.print(report, integrationText(report));
    return isClean(report) ? ExitCode.done : ExitCode.held;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    context.print({ interrupted: true }, 'Interrupted: what was not integrated is as it was');
    return INTERRUPTED;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
