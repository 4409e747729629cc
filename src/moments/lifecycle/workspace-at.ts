import { hookGit } from '../../base/git/hook-git.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { type Workspace, workspaceOn } from '../../features/workspace.ts';
import type { Caller } from './handler.ts';

/** The workspace that a moment works on; git is started as the hook does it. */
export async function workspaceAt(
  place: ProjectPlace,
  { env, now, store }: Caller,
): Promise<Workspace> {
  return workspaceOn(await store(), place, hookGit(place.root, env), now);
}
