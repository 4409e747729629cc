/** The run that a use case works on. */
import type { Workspace } from '../../features/workspace.ts';
import type { LaneSettings } from '../../lanes/settings/settings.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { wantLane } from '../../lanes/spec/edit.ts';
import { findRun } from '../../lanes/spec/names.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { keepLogin } from '../../lanes/start/worker.ts';
import { gitSettings } from '../../lanes/tree/git-settings.ts';
import type { LaneView } from '../../store/lanes.ts';
import { onReserve } from '../../store/reserve.ts';
import type { Run } from '../../store/runs.ts';
import { type AppContext, openProject } from '../context.ts';

export interface LaneProject {
  readonly workspace: Workspace;
  readonly laneContext: LaneContext;
}

export interface OpenRun extends LaneProject {
  readonly run: Run;
  /** Read when they are first asked for. */
  readonly settings: () => Promise<LaneSettings>;
}

export async function openLaneProject(context: AppContext): Promise<LaneProject> {
  const workspace = await openProject(context);
  // Lanes can be ended on a full disk, too: the store has space in reserve.
  const store = onReserve(workspace.store);
  return { workspace, laneContext: { store, env: context.env, now: context.now } };
}

/** @param name needed where several runs are open. @throws {UsageError} if it is not clear which. */
export async function openRun(context: AppContext, name: string | undefined): Promise<OpenRun> {
  const project = await openLaneProject(context);
  const { store, projectId } = project.workspace;
  const run = findRun(store, projectId, { name, env: context.env });
  const { env } = await gitSettings(project.laneContext, run);
  const laneContext = { ...project.laneContext, env };
  let settings: Promise<LaneSettings> | undefined;
  return {
    ...project,
    laneContext,
    run,
    settings() {
      settings ??= settingsFor(laneContext, run);
      return settings;
    },
  };
}

/** Starts workers on lanes as soon as that can be. @returns what the reconcile has found. */
export async function startLanes(
  { laneContext, run, settings }: OpenRun,
  lanes: readonly LaneView[],
  by: string,
) {
  for (const lane of lanes) {
    await keepLogin(laneContext, run, lane, await settings());
    wantLane(laneContext, run, lane, by);
  }
  return reconcile(laneContext, run);
}
