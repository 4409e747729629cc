/** The working tree, repository and store that work on features needs. */
import { statSync } from 'node:fs';
import { attempt } from '../base/errors.ts';
import { cloneId, giveCloneId } from '../base/git/clone-id.ts';
import type { Git } from '../base/git/git.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import type { Store } from '../store/open.ts';
import {
  type KnownProject,
  localFeatureStore,
  noteLocalProjects,
  projectStore,
} from '../store/projects.ts';
import type { SharedEvidence } from './evidence-status.ts';

export interface Workspace {
  readonly place: ProjectPlace;
  /** Runs git at the root of the working tree; `undefined` for a folder without git. */
  readonly git: Git | undefined;
  readonly store: Store;
  /** The project's row in the store. */
  readonly projectId: number;
  /** Evidence from elsewhere, if it is to count; hooks have no time for it. */
  readonly shared?: SharedEvidence;
}

/** @param git runs at the root of the place. */
export function workspaceOn(
  store: Store,
  place: ProjectPlace,
  git: Git,
  now: () => Date,
): Workspace {
  const projects = projectStore(store);
  const projectId =
    projects.find(place.identity) ?? store.writeApart(() => projects.ensure(place.identity, now()));
  // A failure to note the clone does not stop the work: the next command notes it.
  if (place.kind !== 'folder' && !store.db.memory)
    attempt(() => noteClone(store, place.identity, projectId));
  return { place, git: place.kind === 'folder' ? undefined : git, store, projectId };
}

/** Gives the clone an id if it has none, and notes which project it was if it was moved. */
function noteClone(store: Store, commonDir: string, projectId: number): void {
  const projects = projectStore(store);
  const former = formerProject(store, commonDir, projectId);
  const from = former.kind === 'moved' ? former.project.id : undefined;
  const id =
    former.kind === 'moved' ? undefined : (former.id ?? giveCloneId(commonDir, former.kind));
  const isNew = id !== undefined && projects.ofClone(id) === undefined;
  if (!isNew && projects.movedFrom(projectId)?.id === from) return;
  store.writeApart(() => {
    if (isNew) projects.addClone(id, projectId);
    if (isNew && localFeatureStore(store).all(projectId).length > 0) noteLocalProjects(store);
    projects.setMovedFrom(projectId, from ?? null);
  });
}

type FormerProject =
  | { readonly kind: 'moved'; readonly project: KnownProject }
  /** The clone belongs to no other project; `id` is its own, if it has one. */
  | { readonly kind: 'nothing' | 'copied'; readonly id?: string | undefined };

/**
 * Whether the id of a clone belongs to another project. If the clone at the path of that project still has the id, this
 * one is a copy, and gets an id of its own; otherwise the project was moved here, as far as an id can tell.
 */
export function formerProject(
  store: Store,
  commonDir: string,
  projectId: number | undefined,
): FormerProject {
  const id = cloneId(commonDir);
  const project = id === undefined ? undefined : projectStore(store).ofClone(id);
  if (project === undefined || project.id === projectId) return { kind: 'nothing', id };
  if (cloneId(project.identity) !== id) return { kind: 'moved', project };
  // One repository can have two paths, if a folder is mounted twice.
  const [one, other] = [project.identity, commonDir].map((it) => statSync(it).ino);
  return one === other ? { kind: 'nothing', id } : { kind: 'copied' };
}
