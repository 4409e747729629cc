/** The projects that lanehold keeps something of, where they are now, and what a person says of a moved one. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { cloneId, giveCloneId } from '../../base/git/clone-id.ts';
import type { Workspace } from '../../features/workspace.ts';
import { folderOf, movedHere } from '../../gate/moved.ts';
import { exclusively } from '../../install/lock.ts';
import { moveInstallations } from '../../install/manifest.ts';
import { indexNotes, moveNotes, removeNotes } from '../../recall/notes.ts';
import { putItem } from '../../recall/put-item.ts';
import { evidenceStore } from '../../store/evidence.ts';
import { guardStore } from '../../store/guards.ts';
import {
  type ListedProject,
  localFeatureStore,
  moveProject,
  noteLocalProjects,
  projectStore,
} from '../../store/projects.ts';
import { recallStore } from '../../store/recall.ts';
import { agreedBy } from '../agreement.ts';
import { type AppContext, openProject } from '../context.ts';
import { deleteAll } from './forget.ts';

export type ProjectList = Awaited<ReturnType<typeof listProjects>>;
export type ProjectView = ReturnType<typeof view>;

/** Those of which there is something to lose; and the one of this clone, if it was moved and nobody has decided. */
export async function listProjects(context: AppContext) {
  const workspace = await openProject(context);
  const all = projectStore(workspace.store).all();
  const kept = all.filter((it) => it.features + it.rules + it.notes + it.evidence > 0);
  return { projects: kept.map(view), moved: movedHere(workspace) ?? null };
}

const view = ({ identity, features, rules, notes, evidence }: ListedProject) => ({
  ...{ folder: folderOf(identity), there: existsSync(identity) },
  ...{ features, rules, notes, evidence },
});

/**
 * Takes over here what there is of a project that was somewhere else. What was noted here meanwhile stays.
 *
 * @param from the folder where it was; by default what the id of this clone says.
 * @throws {ExplainedError} if it is still there, or an agent runs this.
 */
export async function takeOverProject(context: AppContext, from: string | undefined) {
  const workspace = await openProject(context);
  const { store, projectId, place, git } = workspace;
  const former = formerOf(workspace, from && resolve(context.cwd, from));
  await agreedBy(context, workspace, 'decision');
  const here = { id: projectId, identity: place.identity };
  const folders = { from: folderOf(former.identity), to: folderOf(place.identity) };
  // First: where what follows fails, it can be repeated.
  moveNotes(store.home, former.identity, here.identity);
  const recall = recallStore(store);
  store.write(() => {
    for (const item of recall.list(projectId))
      if (item.projectId === projectId) putItem(recall, { ...item, projectId: former.id });
    evidenceStore(store).copy(projectId, former.id);
    moveProject(store, former, here, folders);
    const projects = projectStore(store);
    for (const id of [projectId, former.id]) projects.dropClones(id);
    const clone = place.kind === 'folder' ? undefined : cloneId(place.identity);
    if (clone !== undefined) projects.addClone(clone, former.id);
    noteLocalProjects(store);
  });
  await exclusively(store.home, () => moveInstallations(store.home, folders.from, folders.to));
  indexNotes({ ...workspace, projectId: former.id });
  // The links between a repository and its other worktrees are paths.
  await git?.attempt(['worktree', 'repair']);
  const taken = projectStore(store)
    .all()
    .find(({ id }) => id === former.id);
  return { from: folders.from, ...view(taken ?? former) };
}

/** The clone is a project of its own, whatever it was copied or unpacked from. Nothing is deleted. */
export async function partFromProject(context: AppContext) {
  const workspace = await openProject(context);
  const { from } = movedHere(workspace) ?? {};
  if (from === undefined) throw notMoved();
  await agreedBy(context, workspace, 'decision');
  giveCloneId(workspace.place.identity, 'copied');
  if (movedHere(await openProject(context)) !== undefined) {
    throw new ExplainedError('this clone could not be given an id of its own', {
      hint: `make ${join(workspace.place.identity, 'lanehold')} writable, then run this again`,
    });
  }
  return { from };
}

/** Deletes what there is of a project that is gone, but for its evidence, which is never deleted. */
export async function forgetProject(context: AppContext, folder: string): Promise<ProjectView> {
  const workspace = await openProject(context);
  const { store } = workspace;
  const project = formerOf(workspace, resolve(context.cwd, folder));
  await agreedBy(context, workspace, 'decision');
  removeNotes(store.home, project.identity);
  store.write(() => {
    for (const { name } of localFeatureStore(store).all(project.id))
      localFeatureStore(store).remove(project.id, name);
    for (const { uid } of guardStore(store).list(project.id))
      guardStore(store).remove(project.id, uid);
    projectStore(store).dropClones(project.id);
    noteLocalProjects(store);
  });
  const all = { words: [], session: null, since: null, until: null };
  deleteAll(store, { project: project.identity, ...all });
  return view(project);
}

/** @param folder absolute; by default where this clone was before. @throws {UsageError} */
function formerOf({ store, projectId }: Workspace, folder?: string): ListedProject {
  const all = projectStore(store).all();
  const former = projectStore(store).movedFrom(projectId);
  const found = all.find(({ id, identity }) =>
    folder === undefined ? id === former?.id : folderOf(identity) === folder,
  );
  if (found === undefined && folder === undefined) throw notMoved();
  if (found === undefined) {
    throw new UsageError(`nothing is kept of a project in ${folder}`, {
      hint: 'see `lanehold project list`',
    });
  }
  if (found.id !== former?.id && existsSync(found.identity)) {
    throw new UsageError(`${folder} is still there, so what is kept of it stays with it`, {
      hint: 'a copy is a project of its own',
    });
  }
  return found;
}

const notMoved = () =>
  new UsageError('this clone was nowhere else, as far as lanehold knows', {
    hint: 'name the folder where the project was; see `lanehold project list`',
  });
