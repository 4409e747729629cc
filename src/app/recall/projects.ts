/** The known projects, their folders, and a person's decision about a moved one. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { cloneId, giveCloneId } from '../../base/git/clone-id.ts';
import type { Workspace } from '../../features/workspace.ts';
import { folderOf, movedHere } from '../../gate/moved.ts';
import { exclusively, moveInstallations } from '../../install/manifest.ts';
import { indexNotes, moveNotes, removeNotes } from '../../recall/notes.ts';
import { putItem } from '../../recall/put-item.ts';
import { evidenceStore } from '../../store/evidence.ts';
import { runStore } from '../../store/lanes.ts';
import {
  type ListedProject,
  moveProject,
  noteLocalProjects,
  projectStore,
} from '../../store/projects.ts';
import { recallStore } from '../../store/recall.ts';
import { agreedBy } from '../agreement.ts';
import { type AppContext, openProject } from '../context.ts';
import { isKept } from '../served-projects.ts';
import { deleteAll } from './forget.ts';

export type ProjectList = Awaited<ReturnType<typeof listProjects>>;
export type ProjectView = ReturnType<typeof view>;

/** The projects with stored records, and the former folder of this clone until somebody decides about it. */
export async function listProjects(context: AppContext) {
  const workspace = await openProject(context);
  const all = projectStore(workspace.store).all();
  return { projects: all.filter(isKept).map(view), moved: movedHere(workspace) ?? null };
}

const view = ({ id: _, identity, ...kept }: ListedProject) => {
  return { folder: folderOf(identity), there: existsSync(identity), ...kept };
};

/**
 * Moves the records of a project from another folder to this one. Newer records here stay.
 *
 * @param from by default the former folder of this clone.
 * @throws {ExplainedError} if the project is still there, or an agent runs this.
 */
export async function takeOverProject(context: AppContext, from: string | undefined) {
  const workspace = await openProject(context);
  const { store, projectId, place, git } = workspace;
  const former = formerOf(workspace, from && resolve(context.cwd, from));
  await agreedBy(context, workspace, 'decision');
  const folders = { from: folderOf(former.identity), to: folderOf(place.identity) };
  // This comes first, so that it can be repeated if a later step fails.
  moveNotes(store.home, former.identity, place.identity);
  const recall = recallStore(store);
  const projects = projectStore(store);
  store.write(() => {
    for (const item of recall.list(projectId))
      if (item.projectId === projectId) putItem(recall, { ...item, projectId: former.id });
    evidenceStore(store).copy(projectId, former.id);
    moveProject(store, former, { id: projectId, identity: place.identity }, folders);
    for (const id of [projectId, former.id]) projects.dropClones(id);
    const clone = cloneId(place.identity);
    if (clone !== undefined) projects.addClone(clone, former.id);
    noteLocalProjects(store);
  });
  await exclusively(store.home, () => moveInstallations(store.home, folders.from, folders.to));
  indexNotes({ ...workspace, projectId: former.id });
  // The links between a repository and its other worktrees are paths.
  await git?.attempt(['worktree', 'repair']);
  const taken = projects.all().find(({ id }) => id === former.id) ?? former;
  return { from: folders.from, ...view(taken) };
}

/** Makes this clone a project of its own, although it was copied. Nothing is deleted. */
export async function partFromProject(context: AppContext) {
  const workspace = await openProject(context);
  const { identity } = formerOf(workspace);
  await agreedBy(context, workspace, 'decision');
  giveCloneId(workspace.place.identity, 'copied');
  if (movedHere(await openProject(context)) !== undefined) {
    throw new ExplainedError('this clone could not be given an id of its own', {
      hint: `make ${join(workspace.place.identity, 'lanehold')} writable, then run this again`,
    });
  }
  return { from: folderOf(identity) };
}

/** Deletes the records of a project that is gone, except its evidence, which is never deleted; ends its runs. */
export async function forgetProject(context: AppContext, folder: string): Promise<ProjectView> {
  const workspace = await openProject(context);
  const { store } = workspace;
  const project = formerOf(workspace, resolve(context.cwd, folder));
  await agreedBy(context, workspace, 'decision');
  removeNotes(store.home, project.identity);
  store.write(() => {
    const runs = runStore(store);
    for (const { id } of runs.open(project.id)) runs.setIntent(id, 'cancelled', null);
    projectStore(store).dropOwn(project.id);
    projectStore(store).dropClones(project.id);
    noteLocalProjects(store);
  });
  const all = { words: [], session: null, since: null, until: null };
  deleteAll(store, { project: project.identity, ...all });
  return view(project);
}

/** @param folder absolute; by default the former folder of this clone. @throws {UsageError} */
function formerOf({ store, projectId }: Workspace, folder?: string): ListedProject {
  const former = projectStore(store).movedFrom(projectId);
  const found = projectStore(store)
    .all()
    .find((it) => (folder === undefined ? it.id === former?.id : folderOf(it.identity) === folder));
  const hint = 'see `lanehold project list`';
  if (found === undefined) {
    const fact = folder
      ? `nothing is kept of a project in ${folder}`
      : 'this clone was nowhere else';
    throw new UsageError(fact, { hint });
  }
  if (found.id !== former?.id && existsSync(found.identity)) {
    throw new UsageError(`the project in ${folder} is still there, so a copy is another one`, {
      hint,
    });
  }
  return found;
}
