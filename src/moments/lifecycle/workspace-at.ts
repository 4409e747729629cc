import type { ProjectPlace } from '../../base/git/project.ts';
import { hookGit } from '../../base/git/small-git.ts';
import { type Workspace, workspaceOn } from '../../features/workspace.ts';
import type { Caller } from './handler.ts';

/** The workspace of an event; git is started as on the hook path. */
export async function workspaceAt(
  place: ProjectPlace,
  { env, now, store }: Caller,
): Promise<Workspace> {
  return workspaceOn(await store(), place, hookGit(place.root, env), now);
}
