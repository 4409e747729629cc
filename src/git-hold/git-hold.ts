/**
 * Whether git itself holds pushes: by a hook file of the clone, or by the user's configuration of
 * git. Hooks call this, so it does not read the record of installations.
 */
import { join } from 'node:path';
import type { Runtime } from '../agents/kit/hook-shim.ts';
import { homeOf } from '../base/files/home.ts';
import { cloneId } from '../base/git/clone-id.ts';
import type { Git } from '../base/git/git.ts';
import { CONFIGURED_HOOK } from '../base/text/git-hook.ts';
import { type ConfiguredHookState, configuredHookState } from './configured-hook.ts';
import {
  type GitHookState,
  gitHookState,
  HOOK_FILES,
  holdsByFile,
  isStarted,
} from './git-hook-state.ts';
import { type HookFolder, hookFolder } from './hook-folder.ts';

/** The form in which a push from this folder certainly reaches the hook. @throws outside of a repository. */
export async function heldByGit(
  git: Git,
  env: NodeJS.ProcessEnv,
): Promise<'configuration' | 'clone' | undefined> {
  const [{ state }, place] = await Promise.all([configuredHook(git, env), hookFolder(git)]);
  if (state === 'installed') return 'configuration';
  return (await holdsByFile(place)) ? 'clone' : undefined;
}

function configuredHook(git: Git, env: NodeJS.ProcessEnv): Promise<ConfiguredHookState> {
  return configuredHookState(git.at(git.directory, { ownHooks: true }), homeOf(env));
}

export interface Installed {
  readonly gitHold?: 'configuration' | 'clones' | undefined;
  readonly gitHooks?: readonly string[];
  readonly gitHookClones?: readonly Record<'folder' | 'clone', string>[] | undefined;
}

/** Whether this clone has had the hook; a new clone at the path of an earlier one has not. */
export function hadHook(
  { folder, ownFolder, place }: HookFolder,
  { gitHooks = [], gitHookClones = [] }: Installed,
): boolean {
  const clone = gitHookClones.find((it) => it.folder === folder)?.clone;
  const isOther = folder === ownFolder && clone !== undefined && clone !== cloneId(place.identity);
  return gitHooks.includes(folder) && !isOther;
}

/** The two forms of the hook in a repository. */
export interface GitHold {
  readonly clone: GitHookState;
  readonly configured: ConfiguredHookState;
  /** Files whose change may keep git from starting the hook. */
  readonly decidedBy: readonly string[];
}

/** @throws {ExplainedError} outside of a repository. */
export async function gitHold(
  git: Git,
  env: NodeJS.ProcessEnv,
  runtime: Runtime,
  installed: Installed,
): Promise<GitHold> {
  const [place, configured] = await Promise.all([hookFolder(git), configuredHook(git, env)]);
  const clone = await cloneState(place, runtime);
  const isEntryGone = configured.state === 'absent' && installed.gitHold === 'configuration';
  const isFileGone = clone.state === 'absent' && hadHook(place, installed);
  return {
    clone: isFileGone ? { ...clone, state: 'replaced', remark: 'it was deleted' } : clone,
    configured: isEntryGone
      ? { state: 'gone', remark: 'hook.lanehold is no longer in the configuration of git' }
      : configured,
    decidedBy: [
      ...place.configuration,
      ...[HOOK_FILES.hook, HOOK_FILES.legacy].map((it) => join(place.folder, it)),
      ...[join(homeOf(env).root, CONFIGURED_HOOK), join(env.HOME ?? '/', '.gitconfig')],
    ],
  };
}

async function cloneState(place: HookFolder, runtime: Runtime): Promise<GitHookState> {
  const state = gitHookState(place, runtime);
  if (state.state !== 'installed' || (await isStarted(place))) return state;
  const remark = `git does not start ${state.file}: see \`git config --show-origin --get-regexp hook\``;
  return { ...state, state: 'passed-over', remark };
}

/** Why git no longer holds pushes; `undefined` if it does, or never did. */
export function whyGone({
  clone,
  configured,
}: Pick<GitHold, 'clone' | 'configured'>): string | undefined {
  if (clone.state === 'installed' || configured.state === 'installed') return undefined;
  const [gone] = [configured, clone].filter(({ state }) => state !== 'absent');
  return gone?.remark;
}
