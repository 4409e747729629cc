import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Board } from '../../lanes/board/board.ts';
import type { Untrue } from '../../lanes/handoff/check.ts';
import type { Run } from '../../store/runs.ts';
import type { Context } from '../context.ts';
import { type Orchestration, openLaneContext, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';

type Options = RunOption & { readonly watch?: boolean };

export function declareOrchestrateStatus(parent: Command, context: () => Context): void {
  withRun(parent.command('status'))
    .description('Show where each lane stands, what waits for whom, and the command that helps')
    .option('--watch', 'go on and show what changes, until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate status', 'one look'],
        ['lanehold orchestrate status --watch', 'keep looking'],
        ['lanehold orchestrate status --json', 'everything, for programs'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runOrchestrateStatus(context(), options);
    });
}

export async function runOrchestrateStatus(context: Context, options: Options): Promise<ExitCode> {
  const [{ workspace, laneContext }, { findRun, lastRun }] = await Promise.all([
    openLaneContext(context),
    import('../../lanes/find.ts'),
  ]);
  const { store, projectId } = workspace;
  const last = lastRun(store, projectId);
  // That all is over is an answer to whoever asks how it stands. A worker means its own run.
  if (last !== undefined && options.run === undefined && !context.env.LANEHOLD_RUN) {
    const { hasOpenRun } = await import('../../store/open-runs.ts');
    if (!hasOpenRun(store, projectId)) return showOver(context, last);
  }
  const run = findRun(store, projectId, { name: options.run, env: context.env });
  const orchestration = { laneContext, run };
  if (options.watch) {
    const { watchBoard } = await import('../watch-board.ts');
    await watchBoard(context, () => lookAround(orchestration));
    return ExitCode.done;
  }
  const look = await lookAround(orchestration);
  const [{ boardData }, { renderBoard }, { painter }] = await Promise.all([
    import('../render/board-data.ts'),
    import('../render/board.ts'),
    import('../render/colour.ts'),
  ]);
  const screen = {
    paint: await painter(context, 'stdout'),
    room: context.streams.stdout.columns ?? Number.POSITIVE_INFINITY,
  };
  context.print(boardData(look.board, look.untrue), renderBoard(look.board, look.untrue, screen));
  return ExitCode.done;
}

function showOver(context: Context, { name, intent }: Run): ExitCode {
  const text = [
    `No run is open; the last one, ${name}, is ${intent}`,
    `hint: \`lanehold orchestrate status --run ${name}\` shows how it ended`,
  ];
  context.print({ run: null, last: { name, intent } }, text.join('\n'));
  return ExitCode.done;
}

/** A board, and what git and the disk say otherwise. */
export interface Look {
  readonly board: Board;
  readonly untrue: readonly Untrue[];
}

/** Whoever looks, repairs: first what is due is set going. */
async function lookAround({
  laneContext,
  run,
}: Pick<Orchestration, 'laneContext' | 'run'>): Promise<Look> {
  const [{ tick }, { readBoard }, { linesOf }, { untrueLines }, { runStore }] = await Promise.all([
    import('../../lanes/tick.ts'),
    import('../../lanes/board/board.ts'),
    import('../../lanes/handoff/lines.ts'),
    import('../../lanes/handoff/check.ts'),
    import('../../store/runs.ts'),
  ]);
  const { waiting } = await tick(laneContext, run);
  const board = readBoard(laneContext, runStore(laneContext.store).byId(run.id) ?? run, waiting);
  return { board, untrue: await untrueLines(laneContext, run, linesOf(board, new Map())) };
}
