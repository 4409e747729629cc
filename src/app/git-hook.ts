/** The pre-push hook of a repository: install it, take it out, look whether it holds. */
import {
  forgetGitHooks,
  type GitHookInstalled,
  type GitHookRemoved,
  installGitHook as install,
  recordGitHook,
  removeGitHook as remove,
} from '../install/git-hook.ts';
import { type GitHookState, gitHookState } from '../install/git-hook-state.ts';
import { hookFolder, hookFolderRemarks } from '../install/hook-folder.ts';
import type { Runtime } from '../install/hook-shim.ts';
import { exclusively } from '../install/lock.ts';
import { currentRuntime, hookProgram } from '../install/targets.ts';
import { homeOf } from '../store/home.ts';
import type { AppContext } from './context.ts';

export interface InstalledGitHook extends GitHookInstalled, Pick<GitHookState, 'other'> {
  readonly warnings: readonly string[];
}

/** @param runtime what the hook will start; by default this Node and this package's program. */
export async function installGitHook(
  { cwd, env }: AppContext,
  runtime: Runtime = currentRuntime(),
): Promise<InstalledGitHook> {
  const place = await hookFolder(cwd, env);
  const home = homeOf(env);
  const done = await exclusively(home, () => {
    recordGitHook(home, place.folder);
    return install(place, runtime);
  });
  const { other } = gitHookState(place, runtime);
  const warnings = await hookFolderRemarks(place, done.file, { env, program: runtime.hook });
  if (done.setAside !== undefined) {
    warnings.push(`a hook that ran first until now is set aside as ${done.setAside}`);
  }
  return { ...done, other, warnings };
}

export interface RemovedGitHooks {
  readonly removed: readonly GitHookRemoved[];
}

export async function removeGitHook({ cwd, env }: AppContext): Promise<RemovedGitHooks> {
  const place = await hookFolder(cwd, env);
  const home = homeOf(env);
  const removed = await exclusively(home, () => {
    const done = remove(place);
    forgetGitHooks(home, [place.folder, place.ownFolder]);
    return done;
  });
  return { removed };
}

export interface GitHookStatus extends GitHookState {
  /** git holds pushes from this repository. */
  readonly holds: boolean;
  /** LANEHOLD_DISABLE=1 is set: the hook does nothing. */
  readonly disabled: boolean;
}

/** @throws {ExplainedError} outside of a repository. */
export async function gitHookStatus({ cwd, env }: AppContext): Promise<GitHookStatus> {
  const runtime = { node: process.execPath, hook: hookProgram() };
  const found = gitHookState(await hookFolder(cwd, env), runtime);
  const disabled = env.LANEHOLD_DISABLE === '1';
  return { holds: found.state === 'installed' && !disabled, disabled, ...found };
}

/** One line, without a line end. */
export function gitHookVerdict({ state, file, remark }: GitHookState): string {
  switch (state) {
    case 'installed':
      return `installed: git holds pushes from this repository by ${file}`;
    case 'broken':
      return `broken: ${file}: ${remark}`;
    case 'replaced':
      return `replaced: the git hook is no longer in ${file}: ${remark}`;
    case 'passed-over':
      return `passed over: the git hook is never started: ${remark}`;
    case 'absent':
      return 'not installed: git pushes from this repository whatever it is told to';
  }
}
