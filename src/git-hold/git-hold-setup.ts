/** Makes git itself hold pushes, and undoes it. */
import { join } from 'node:path';
import type { Runtime } from '../agents/kit/hook-shim.ts';
import { homeOf } from '../base/files/home.ts';
import type { Git } from '../base/git/git.ts';
import { changeManifest, exclusively, installManifest } from '../install/manifest.ts';
import type { Removal } from '../install/remove.ts';
import {
  type ConfiguredHookInstalled,
  configuredFile,
  installConfiguredHook,
  removeConfiguredHook,
  takesHooksFromConfiguration,
} from './configured-hook.ts';
import { hadHook } from './git-hold.ts';
import { installGitHook } from './git-hook.ts';
import { gitHookState, HOOK_FILES } from './git-hook-state.ts';
import { hookFolder, wouldShowInRepository } from './hook-folder.ts';

export type GitHoldInstalled =
  | ({ readonly form: 'configuration' } & ConfiguredHookInstalled)
  /** Each clone gets the hook when a session starts there. */
  | { readonly form: 'clones'; readonly state: 'new' | 'current' };

/** @param git in a folder without settings of its own. */
export async function installGitHold(
  git: Git,
  env: NodeJS.ProcessEnv,
  runtime: Runtime,
): Promise<GitHoldInstalled> {
  const home = homeOf(env);
  const form = (await takesHooksFromConfiguration(git)) ? 'configuration' : 'clones';
  return exclusively(home, async () => {
    const { gitHold } = installManifest(home);
    const done = form === 'clones' ? undefined : await installConfiguredHook(git, home, runtime);
    changeManifest(home, { gitHold: form });
    if (done !== undefined) return { form: 'configuration', ...done };
    return { form: 'clones', state: gitHold === form ? 'current' : 'new' };
  });
}

/** @param git in a folder without settings of its own. */
export async function removeGitHold(
  git: Git,
  env: NodeJS.ProcessEnv,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly Removal[]> {
  const home = homeOf(env);
  const file = await configuredFile(git);
  const { gitHold } = installManifest(home);
  const removal: Removal[] = file === undefined ? [] : [{ file, state: 'cleaned' }];
  if (dryRun || (file === undefined && gitHold === undefined)) return removal;
  return exclusively(home, async () => {
    await removeConfiguredHook(git, home);
    changeManifest(home, { gitHold: undefined, sessionGitHooks: undefined });
    return removal;
  });
}

/**
 * Puts the hook into a clone that never had it, or that had it until now. A folder that other repositories use as well
 * is left out, and one in which the hook would show as a change of the repository.
 *
 * @returns its file, if it was put there.
 */
export async function installInClone(
  git: Git,
  env: NodeJS.ProcessEnv,
  runtime: Runtime,
  when: 'first' | 'again' = 'first',
): Promise<string | undefined> {
  const place = await hookFolder(git);
  const { folder, setting } = place;
  const home = homeOf(env);
  const installed = installManifest(home);
  const { removedGitHooks } = installed;
  if (removedGitHooks.includes(folder)) return undefined;
  if (setting?.scope === 'global' || setting?.scope === 'system') return undefined;
  const { state } = gitHookState(place, runtime);
  const isFirst = state === 'absent' && !hadHook(place, installed);
  if (when === 'first' ? !isFirst : state === 'installed') return undefined;
  if (await wouldShowInRepository(place, join(folder, HOOK_FILES.hook))) return undefined;
  return (await installGitHook(home, place, runtime)).file;
}

/** Puts the hook into a clone at a session's start, as the user has set it for all; that setting removes it. */
export async function installAtSession(
  git: Git,
  env: NodeJS.ProcessEnv,
  runtime: Runtime,
): Promise<void> {
  if ((await installInClone(git, env, runtime)) === undefined) return;
  const { folder } = await hookFolder(git);
  const home = homeOf(env);
  await exclusively(home, () => {
    const { sessionGitHooks = [] } = installManifest(home);
    changeManifest(home, { sessionGitHooks: [...new Set([...sessionGitHooks, folder])] });
  });
}
