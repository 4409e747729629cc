import type { ProjectRegistry } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import type { Context } from './context.ts';

/** The project that a command works on, with its store open. */
export async function openContextWorkspace({ cwd, env, now }: Context): Promise<Workspace> {
  const { openWorkspace } = await import('../features/workspace.ts');
  return openWorkspace(cwd, env, now);
}

/** The same where evidence can come with the repository: a machine without a store will do. */
export async function openEvidenceWorkspace({ cwd, env, now }: Context): Promise<Workspace> {
  const [{ workspaceOn }, { openStoreOrNone }, { projectPlace }] = await Promise.all([
    import('../features/workspace.ts'),
    import('../store/memory.ts'),
    import('../git/project.ts'),
  ]);
  const place = projectPlace(cwd);
  return workspaceOn(await openStoreOrNone(env), place, env, now);
}

export interface FeatureContext {
  readonly workspace: Workspace;
  readonly registry: ProjectRegistry;
}

/** The same with the registry of the working tree. */
export async function openFeatures(context: Context): Promise<FeatureContext> {
  const workspace = await openContextWorkspace(context);
  const { worktreeRegistry } = await import('../features/registry.ts');
  return { workspace, registry: await worktreeRegistry(workspace) };
}

/** Names of the features that would be held if the working tree left now. */
export async function heldNames(workspace: Workspace, now: Date): Promise<ReadonlySet<string>> {
  const { assessPending } = await import('../gate/pending.ts');
  const { held } = await assessPending(workspace, now);
  return new Set(held.map(({ feature }) => feature.name));
}
