import type { Command } from 'commander';
import { actorOf } from '../../agents/actor.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { WAIT_EXIT_CODES } from '../render/wait-help.ts';

type SpawnOptions = RunOption & { readonly ready?: boolean; readonly wait?: boolean };

export function declareOrchestrateSpawn(parent: Command, context: () => Context): void {
  withRun(parent.command('spawn'))
    .description('Start workers on lanes; those that have to wait start by themselves in time')
    .argument('[keys...]', 'the lanes')
    .option('--ready', 'every lane that was not started yet')
    .option('--wait', 'until none of them is at work any more')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate spawn api ui', 'these two'],
        ['lanehold orchestrate spawn --ready --wait', 'all, and come back when they are done'],
      ) + WAIT_EXIT_CODES,
    )
    .action(async (keys: string[], options: SpawnOptions) => {
      process.exitCode = await runOrchestrateSpawn(context(), keys, options);
    });
}

export async function runOrchestrateSpawn(
  context: Context,
  keys: readonly string[],
  options: SpawnOptions,
): Promise<ExitCode> {
  if (keys.length === 0 && !options.ready) {
    throw new UsageError('no lane was named', { hint: 'name lanes, or give --ready for all' });
  }
  const [
    { laneContext, run },
    { wantLane, assertIdle },
    { findLane },
    { tick },
    { laneStore },
    { keepLogin },
  ] = await Promise.all([
    openOrchestration(context, options),
    import('../../lanes/edit.ts'),
    import('../../lanes/find.ts'),
    import('../../lanes/tick.ts'),
    import('../../store/lanes.ts'),
    import('../../lanes/resolved-worker.ts'),
  ]);
  const named = keys.map((key) => findLane(laneContext.store, run, key));
  const planned = laneStore(laneContext.store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'planned');
  const lanes = options.ready
    ? [...new Map([...named, ...planned].map((it) => [it.id, it])).values()]
    : named;
  for (const lane of named) assertIdle(laneContext, lane);
  for (const lane of lanes) {
    await keepLogin(laneContext, run, lane);
    wantLane(laneContext, run, lane, actorOf(context).name);
  }
  const { started, waiting } = await tick(laneContext, run);
  const findAgain = () => lanes.map(({ key }) => findLane(laneContext.store, run, key));
  if (!options.wait) {
    const after = findAgain();
    context.print({ lanes: after, started, waiting }, text(after, waiting));
    return ExitCode.done;
  }
  const { awaitLanes } = await import('../await-lanes.ts');
  // With all that can start, those count that were started before.
  const those = options.ready ? laneStore(laneContext.store).ofRun(run.id) : findAgain();
  const awaited = await awaitLanes(context, { laneContext, run }, those);
  const after = findAgain();
  context.print(
    { lanes: after, started, waiting: awaited.waiting, ...awaited.json },
    [text(after, awaited.waiting), ...awaited.lines].join('\n'),
  );
  return awaited.exitCode;
}

function text(
  lanes: readonly { readonly key: string; readonly state: string }[],
  waiting: Readonly<Record<string, string>>,
): string {
  if (lanes.length === 0) return 'No lane is left to start';
  return lanes
    .map(
      ({ key, state }) =>
        `${key}: ${state}${waiting[key] === undefined ? '' : ` (${printableLine(waiting[key], 400)})`}`,
    )
    .join('\n');
}
