import type { Command } from 'commander';
import type { Workspace } from '../features/workspace.ts';
import type { LaneContext } from '../lanes/context.ts';
import type { Run } from '../store/runs.ts';
import type { Context } from './context.ts';
import { openContextWorkspace } from './workspace.ts';

/** What every command below `orchestrate` takes. */
export interface RunOption {
  readonly run?: string;
}

export interface Orchestration {
  readonly workspace: Workspace;
  readonly laneContext: LaneContext;
  readonly run: Run;
}

export function withRun(command: Command): Command {
  return command.option('--run <name>', 'the run, where several are open');
}

/** The project, its store, and the run that is meant. @throws {UsageError} */
export async function openOrchestration(
  context: Context,
  { run: name }: RunOption,
): Promise<Orchestration> {
  const [{ workspace, laneContext }, { findRun }] = await Promise.all([
    openLaneContext(context),
    import('../lanes/find.ts'),
  ]);
  const run = findRun(workspace.store, workspace.projectId, { name, env: context.env });
  return { workspace, laneContext, run };
}

export async function openLaneContext(
  context: Context,
): Promise<{ readonly workspace: Workspace; readonly laneContext: LaneContext }> {
  const [workspace, { onReserve }] = await Promise.all([
    openContextWorkspace(context),
    import('../store/reserve.ts'),
  ]);
  // On a full disk, too, somebody has to be able to say what is to end.
  const store = onReserve(workspace.store);
  return { workspace, laneContext: { store, env: context.env, now: context.now } };
}
