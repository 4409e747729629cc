import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { GcReport } from '../../lanes/gc/collect.ts';
import type { GcItem, GcWish } from '../../lanes/gc/item.ts';
import type { Run } from '../../store/runs.ts';
import { plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { openLaneContext, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { durationOf } from '../values.ts';

type Options = RunOption & {
  readonly drop?: boolean;
  readonly olderThan: string;
  readonly dryRun?: boolean;
};

export function declareOrchestrateGc(parent: Command, context: () => Context): void {
  withRun(parent.command('gc'))
    .description('Take away worktrees, refs and output of runs that are over; branches stay')
    .option('--drop', 'with --run: also what only the refs of this run keep')
    .option('--older-than <duration>', 'what attempts printed goes after this time', '30d')
    .option('--dry-run', 'only say what would go')
    .addHelpText(
      'after',
      examples(
        ['lanehold orchestrate gc --dry-run', 'what would go, and what would stay'],
        ['lanehold orchestrate gc --run billing --drop', 'give up all that is left of it'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runOrchestrateGc(context(), options);
    });
}

export async function runOrchestrateGc(context: Context, options: Options): Promise<ExitCode> {
  if (options.drop && options.run === undefined) {
    throw new UsageError('--drop needs a name', { hint: 'say which run with --run' });
  }
  const olderMs = durationOf(options.olderThan);
  const { workspace, laneContext } = await openLaneContext(context);
  const [{ collectRun }, { findRun }, { runStore }, { keepReserve }] = await Promise.all([
    import('../../lanes/gc/collect.ts'),
    import('../../lanes/find.ts'),
    import('../../store/runs.ts'),
    import('../../store/reserve.ts'),
  ]);
  const { store, projectId } = workspace;
  const runs: readonly Run[] =
    options.run === undefined
      ? runStore(store).all(projectId)
      : [findRun(store, projectId, { name: options.run, env: context.env })];
  const wish: GcWish = {
    refs: options.drop ? 'drop' : 'keep-unmerged',
    attemptsBefore: new Date(context.now().getTime() - olderMs),
    mode: options.dryRun ? 'dry-run' : 'remove',
  };
  const reports: GcReport[] = [];
  for (const run of runs) reports.push(await collectRun(laneContext, run, wish));
  // Now there may be room for it again.
  if (wish.mode === 'remove') keepReserve(store.home);
  const removed = reports.flatMap((it) => it.removed);
  const kept = reports.flatMap((it) => it.kept);
  context.print({ mode: wish.mode, removed, kept }, reportText(removed, kept, wish));
  return ExitCode.done;
}

function reportText(removed: readonly GcItem[], kept: readonly GcItem[], { mode }: GcWish): string {
  const verb = mode === 'dry-run' ? 'would remove' : 'removed';
  const named = ({ run, what, name }: GcItem) => `${run}: ${what} ${printableLine(name, 300)}`;
  const first =
    removed.length === 0 ? 'nothing to remove' : `${verb} ${plural(removed.length, 'thing')}`;
  return [
    first,
    ...removed.map((item) => `  ${named(item)}`),
    ...(kept.length === 0 ? [] : [`kept ${kept.length}`]),
    ...kept.map((item) => `  ${named(item)}: ${printableLine(item.why ?? '', 300)}`),
  ].join('\n');
}
