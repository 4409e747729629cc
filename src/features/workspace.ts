/** The working tree, repository and store that work on features needs. */
import type { Git } from '../base/git/git.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import type { Store } from '../store/open.ts';
import { projectStore } from '../store/projects.ts';
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

/** @param git at the root of the place. */
export function workspaceOn(
  store: Store,
  place: ProjectPlace,
  git: Git,
  now: () => Date,
): Workspace {
  const projects = projectStore(store);
  const projectId =
    projects.find(place.identity) ?? store.writeApart(() => projects.ensure(place.identity, now()));
  return { place, git: place.kind === 'folder' ? undefined : git, store, projectId };
}
