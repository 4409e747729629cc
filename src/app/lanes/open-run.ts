/** The run that a use case works on. */
import { UsageError } from '../../base/errors.ts';
import type { Workspace } from '../../features/workspace.ts';
import { folderOf } from '../../gate/moved.ts';
import type { LaneSettings } from '../../lanes/settings/settings.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { wantLanes } from '../../lanes/spec/edit.ts';
import { findRun } from '../../lanes/spec/names.ts';
import { keepLogin } from '../../lanes/start/worker.ts';
import { gitSettings } from '../../lanes/tree/git-settings.ts';
import { type LaneView, type Run, runStore } from '../../store/lanes.ts';
import { projectStore } from '../../store/projects.ts';
import { onReserve } from '../../store/reserve.ts';
import { type AppContext, openProject } from '../context.ts';
import { reconcileTeam } from './team-lanes.ts';

type LaneProject = Awaited<ReturnType<typeof openLaneProject>>;
export type OpenRun = Awaited<ReturnType<typeof openRun>>;

export async function openLaneProject(context: AppContext) {
  const workspace = await openProject(context);
  // Lanes can also be ended on a full disk, for which the store has space in reserve.
  const store = onReserve(workspace.store);
  const laneContext: LaneContext = { store, env: context.env, now: context.now };
  return { workspace, laneContext };
}

/** Finds a run as `findRun` does. @throws {UsageError} that says where this clone's earlier runs are. */
export async function findRunHere(
  { workspace }: Pick<LaneProject, 'workspace'>,
  wish: Parameters<typeof findRun>[2],
): Promise<Run> {
  const { store, projectId } = workspace;
  const hint =
    runStore(store).all(projectId).length === 0 ? await whereRunsAre(workspace) : undefined;
  if (hint === undefined) return findRun(store, projectId, wish);
  throw new UsageError('there is no run in this project', { hint });
}

/** Where the runs of a clone without runs are: in its former folder, or in a lost database. */
export async function whereRunsAre({ store, projectId, place }: Workspace) {
  const former = projectStore(store).movedFrom(projectId);
  if (former !== undefined && runStore(store).all(former.id).length > 0) {
    return `it had runs in ${folderOf(former.identity)}; \`lanehold project move\` takes them over`;
  }
  const { lostRuns } = await import('../../lanes/keep/rebuild.ts');
  const [lost, ...others] = lostRuns({ store }, place.identity);
  if (lost === undefined) return undefined;
  const them = others.length === 0 ? `run ${lost} is` : `runs ${[lost, ...others].join(', ')} are`;
  return `${them} not in the database; \`lanehold doctor --repair\` rebuilds what is left`;
}

/** @param name is needed if several runs are open. @throws {UsageError} if it is ambiguous. */
export async function openRun(context: AppContext, name: string | undefined) {
  const project = await openLaneProject(context);
  const run = await findRunHere(project, { name, env: context.env });
  const { env } = await gitSettings(project.laneContext, run);
  const laneContext = { ...project.laneContext, env };
  let settings: Promise<LaneSettings> | undefined;
  return {
    ...project,
    laneContext,
    run,
    /** Read on first use. */
    settings() {
      settings ??= settingsFor(laneContext, run);
      return settings;
    },
  };
}

/** Starts workers on lanes as soon as possible. @returns the result of the reconcile. */
export async function startLanes(
  { laneContext, run, settings }: OpenRun,
  lanes: readonly LaneView[],
  { by, tell }: { readonly by: string; readonly tell: (line: string) => void },
) {
  for (const lane of lanes) await keepLogin(laneContext, run, lane, await settings());
  wantLanes(laneContext, run, lanes, by);
  return reconcileTeam(laneContext, run, tell);
}
