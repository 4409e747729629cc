/** git's own hook: in one repository, or in the configuration of the user. */
import { existsSync } from 'node:fs';
import type { Scope } from '../../agents/install.ts';
import type { Runtime } from '../../agents/kit/hook-shim.ts';
import { ExplainedError } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { gitIn } from '../../base/git/git-in.ts';
import type { ConfiguredHookState } from '../../git-hold/configured-hook.ts';
import { gitHold, whyGone } from '../../git-hold/git-hold.ts';
import { installGitHold, removeGitHold } from '../../git-hold/git-hold-setup.ts';
import {
  installGitHook,
  prepareGitHookRemovals,
  removeGitHook,
  removeGitHooks,
} from '../../git-hold/git-hook.ts';
import { gitHookState } from '../../git-hold/git-hook-state.ts';
import { hookFolder, hookFolderRemarks } from '../../git-hold/hook-folder.ts';
import { installManifest } from '../../install/manifest.ts';
import type { Removal } from '../../install/remove.ts';
import { currentRuntime, hookProgram } from '../../install/targets.ts';
import type { AppContext } from '../context.ts';

/** The git hook as it is after an installation. */
export type GitHoldReport = Awaited<ReturnType<typeof setUpGitHold>>;

/** Lets git itself hold pushes: of every repository, or of the one of the context. */
export async function setUpGitHold(
  context: AppContext,
  { scope }: { readonly scope: Scope },
  runtime: Runtime = currentRuntime(),
) {
  if (scope === 'project') {
    const { state, file, warnings } = await setUpGitHook(context, runtime);
    return { form: 'clone' as const, state, file, warnings };
  }
  if (existsSync(homeOf(context.env).database)) {
    const { noteLocalProjects } = await import('../../store/projects.ts');
    noteLocalProjects(await context.store());
  }
  return installGitHold(gitIn('/', context.env), context.env, runtime);
}

/** Whether the user has agreed to it before, so that there is nothing to ask. */
export function wantsGitHold({ env }: AppContext): boolean {
  return installManifest(homeOf(env)).gitHold !== undefined;
}

/** Takes the hooks of git out of all repositories and of its configuration. */
export async function uninstallGitHooks(
  { env }: AppContext,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Removal[]> {
  const home = homeOf(env);
  const hooks = dryRun ? prepareGitHookRemovals(home) : await removeGitHooks(home);
  const entry = await removeGitHold(gitIn('/', env), env, { dryRun });
  return [...hooks.map(({ file, state }) => ({ file, state })), ...entry];
}

export type InstalledGitHook = Awaited<ReturnType<typeof setUpGitHook>>;

/** @param runtime what the hook will start; by default this Node and this package's program. */
export async function setUpGitHook({ cwd, env }: AppContext, runtime: Runtime = currentRuntime()) {
  const place = await hookFolder(gitIn(cwd, env));
  const done = await installGitHook(homeOf(env), place, runtime);
  const { other } = gitHookState(place, runtime);
  const warnings = await hookFolderRemarks(place, done.file, runtime.hook);
  if (done.setAside !== undefined) {
    warnings.push(`a hook that ran first until now is set aside as ${done.setAside}`);
  }
  return { ...done, other, warnings };
}

export type RemovedGitHooks = Awaited<ReturnType<typeof takeOutGitHook>>;

export async function takeOutGitHook({ cwd, env }: AppContext) {
  const place = await hookFolder(gitIn(cwd, env));
  return { removed: await removeGitHook(homeOf(env), place) };
}

export type GitHookStatus = Awaited<ReturnType<typeof gitHookStatus>>;

/** @throws {ExplainedError} outside of a repository. */
export async function gitHookStatus({ cwd, env }: AppContext) {
  const runtime = { node: process.execPath, hook: hookProgram() };
  const line = await gitHold(gitIn(cwd, env), env, runtime, installManifest(homeOf(env)));
  const { clone, configured } = line;
  // Then the hook does nothing.
  const disabled = env.LANEHOLD_DISABLE === '1';
  const isThere = [clone.state, configured.state].includes('installed');
  return { holds: isThere && !disabled, disabled, ...clone, configured, gone: whyGone(line) };
}

/** Whether git's own hook holds here, and why not where it did; neither outside of a repository. */
export async function gitHookHere(
  context: AppContext,
): Promise<Partial<Pick<GitHookStatus, 'holds' | 'gone'>>> {
  try {
    return await gitHookStatus(context);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    return {};
  }
}

/** One line, without a line end. */
export function gitHookVerdict({ state, file, remark, configured }: GitHookStatus): string {
  if (state !== 'installed' && configured.state !== 'absent') return configuredVerdict(configured);
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

function configuredVerdict({ state, remark }: ConfiguredHookState): string {
  return state === 'installed'
    ? 'installed: git holds pushes from every repository, by hook.lanehold in its configuration'
    : `${state}: git does not start the hook of its configuration: ${remark}`;
}
