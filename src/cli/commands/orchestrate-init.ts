import { type Command, Option } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import type { Caps } from '../../agents/worker/worker.ts';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { amountOf } from '../lane-options.ts';
import { openLaneContext } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { countOf, durationOf } from '../values.ts';

type Options = {
  readonly name?: string;
  readonly base?: string;
  readonly target?: string;
  readonly parallel?: string;
  readonly attempts?: string;
  readonly runTurns?: string;
  readonly runTime?: string;
  readonly runTokens?: string;
  readonly runUsd?: string;
};

export function declareOrchestrateInit(parent: Command, context: () => Context): void {
  parent
    .command('init')
    .description('Begin a run: a goal that lanes will work on, from one commit')
    .argument('<goal>', 'what is to be reached, in a sentence or a page')
    .option('--name <name>', 'a short name; by default made of the goal')
    .option('--base <ref>', 'the commit that the lanes start from', 'HEAD')
    .option('--target <branch>', 'the branch that `land` moves; the one checked out by default')
    .option('--parallel <count>', 'how many lanes work at once')
    .option('--attempts <count>', 'how often lost work is started before somebody has to say so')
    .addOption(new Option('--run-turns <count>', 'cap for the whole run').helpGroup('Budget:'))
    .addOption(new Option('--run-time <duration>', 'cap for the whole run').helpGroup('Budget:'))
    .addOption(new Option('--run-tokens <count>', 'cap for the whole run').helpGroup('Budget:'))
    .addOption(new Option('--run-usd <amount>', 'cap for the whole run').helpGroup('Budget:'))
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate init 'Move billing to the new API'", 'from HEAD, onto this branch'],
        ["lanehold orchestrate init 'Split the store' --base v2 --target next", 'from elsewhere'],
      ),
    )
    .action(async (goal: string, options: Options) => {
      process.exitCode = await runOrchestrateInit(context(), goal, options);
    });
}

export async function runOrchestrateInit(
  context: Context,
  goal: string,
  options: Options,
): Promise<ExitCode> {
  const [{ workspace, laneContext }, { createRun }, { settingsFor }, { defaultSlots }] =
    await Promise.all([
      openLaneContext(context),
      import('../../lanes/run.ts'),
      import('../../lanes/settings-for.ts'),
      import('../../process/slots.ts'),
    ]);
  const settings = await settingsFor(laneContext, workspace.place.root);
  const run = await createRun(laneContext, workspace, {
    goal,
    name: options.name,
    base: options.base,
    target: options.target,
    policy: {
      parallel: counted(options.parallel) ?? settings.parallel ?? defaultSlots().worker,
      attempts: counted(options.attempts) ?? settings.attempts,
      laneBudget: settings.budget,
      runBudget: { ...settings.runBudget, ...runCaps(options) },
      dayBudget: settings.dayBudget,
    },
    by: actorOf(context).name,
  });
  const text = [
    `Began run ${run.name} at ${run.baseSha.slice(0, 12)}, to land on ${run.targetRef.replace('refs/heads/', '')}`,
    "Next: lanehold orchestrate lane add KEY --desc '…' --touches 'src/…/**' --validate '…'",
  ].join('\n');
  context.print({ run }, text);
  return ExitCode.done;
}

function runCaps({ runTurns, runTime, runTokens, runUsd }: Options): Caps {
  return {
    ...(runTurns === undefined ? {} : { turns: countOf(runTurns) }),
    ...(runTime === undefined ? {} : { seconds: Math.ceil(durationOf(runTime) / 1000) }),
    ...(runTokens === undefined ? {} : { tokens: countOf(runTokens) }),
    ...(runUsd === undefined ? {} : { usd: amountOf(runUsd) }),
  };
}

const counted = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : countOf(written);
