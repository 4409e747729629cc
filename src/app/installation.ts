/**
 * The hooks of agents in their settings, and the pre-push hook of a repository: installed, and
 * taken out again.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Scope } from '../agents/install.ts';
import type { Environment } from '../environment.ts';
import { ExplainedError } from '../errors.ts';
import { gitIn } from '../git/git.ts';
import { projectPlace } from '../git/project.ts';
import { type Installed, type InstallRequest, install, prepareInstall } from '../install/apply.ts';
import type { ConfiguredHookState } from '../install/configured-hook.ts';
import { targetOf } from '../install/files.ts';
import { gitHold, whyGone } from '../install/git-hold.ts';
import {
  type GitHoldInstalled,
  removeGitHold,
  installGitHold as setUpGitHold,
} from '../install/git-hold-setup.ts';
import {
  installGitHook as addHook,
  removeGitHook as dropHook,
  forgetGitHooks,
  type GitHookInstalled,
  type GitHookRemoved,
  prepareGitHookRemovals,
  recordGitHook,
  removeGitHooks,
} from '../install/git-hook.ts';
import { type GitHookState, gitHookState } from '../install/git-hook-state.ts';
import { hookFolder, hookFolderRemarks } from '../install/hook-folder.ts';
import { hookScriptFile, removeHookScript, writeHookScript } from '../install/hook-script.ts';
import type { Runtime } from '../install/hook-shim.ts';
import { exclusively } from '../install/lock.ts';
import { readGitHold, readGitHookFolders } from '../install/manifest.ts';
import {
  prepareRemoval,
  type Removal,
  type RemoveRequest,
  uninstall as removeHooks,
} from '../install/remove.ts';
import {
  currentRuntime,
  defaultAgent,
  hookProgram,
  type Installer,
  installerOf,
  installers,
  isInCache,
} from '../install/targets.ts';
import { checkSwitches } from '../install/verify.ts';
import { packageVersion } from '../package.ts';
import { homeOf } from '../store/home.ts';
import { diffLines } from '../text/diff.ts';
import type { AppContext } from './context.ts';

interface InstallWish {
  readonly agent?: string | undefined;
  /** `project`: for the repository of the context and all its worktrees. */
  readonly scope: Scope;
  /** Write nothing, and say what would be written. */
  readonly dryRun: boolean;
}

interface HookInstallation
  extends Pick<InstallRequest, 'agent' | 'scope' | 'file'>,
    Pick<InstallWish, 'dryRun'>,
    Pick<Installed, 'state' | 'backup'> {
  /** What changes in the file, line by line. */
  readonly diff: readonly string[];
  readonly warnings: readonly string[];
}

export interface InstallReport {
  readonly data: HookInstallation;
  readonly hooks: number;
}

/** @param runtime what the hooks will start; by default this Node and this package's hook program. */
export async function installHooks(
  context: AppContext,
  { agent = defaultAgent(), scope, dryRun }: InstallWish,
  runtime: Runtime = currentRuntime(),
): Promise<InstallReport> {
  const installer = await installerOf(agent);
  const file = installer.settingsFile(scope, context);
  const home = homeOf(context.env);
  const start = { ...runtime, script: hookScriptFile(home) };
  const request: InstallRequest = {
    home,
    agent,
    scope,
    editor: installer.editor,
    file,
    wanted: installer.wantedHooks(start, file),
    version: packageVersion(),
    now: context.now(),
  };
  if (!dryRun) {
    const all = await installers();
    await exclusively(home, () => writeHookScript(home, all));
  }
  const done = dryRun ? { ...prepareInstall(request), backup: undefined } : await install(request);
  const warnings = [
    ...installer.problems(done.text).map((it) => `the agent ignores the whole file: ${it}`),
    ...(await warningsFor(context, { installer, scope, file, runtime })),
  ];
  const { state, backup, text, current = '' } = done;
  const diff = diffLines(current, text);
  const data = { agent, scope, file, state, dryRun, backup, diff, warnings };
  return { data, hooks: request.wanted.length };
}

interface Installing {
  readonly installer: Installer;
  readonly scope: Scope;
  readonly file: string;
  readonly runtime: Runtime;
}

async function warningsFor(
  { env, cwd }: AppContext,
  { installer, scope, file, runtime }: Installing,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { state, fact } of checkSwitches({ env, cwd }, [installer])) {
    if (state !== 'ok') warnings.push(fact);
  }
  if (isInCache(runtime.hook)) {
    warnings.push(
      'the hooks lead into the cache of npx, which may be emptied: `npm install -g lanehold` first',
    );
  }
  if (env.LANEHOLD_HOME) {
    warnings.push('LANEHOLD_HOME is set: start the agent with it, too, or its hooks use another');
  }
  if (scope === 'project' && (await wouldBeCommitted(file, env))) {
    warnings.push(`keep ${file} out of commits: it names paths of this machine`);
  }
  return warnings;
}

async function wouldBeCommitted(file: string, env: Environment): Promise<boolean> {
  const root = dirname(dirname(file));
  if (projectPlace(root).kind !== 'git') return false;
  return (await gitIn(root, env).maybe(['check-ignore', file], [1, 128])) === undefined;
}

/** What git holds by itself after an installation. */
export type GitHoldReport =
  | GitHoldInstalled
  | ({ readonly form: 'clone' } & Pick<InstalledGitHook, 'state' | 'file' | 'warnings'>);

/** Lets git itself hold pushes: of every repository, or of the one of the context. */
export async function installGitHold(
  context: AppContext,
  { scope }: Pick<InstallWish, 'scope'>,
  runtime: Runtime = currentRuntime(),
): Promise<GitHoldReport> {
  if (scope === 'project') {
    const { state, file, warnings } = await installGitHook(context, runtime);
    return { form: 'clone', state, file, warnings };
  }
  if (existsSync(homeOf(context.env).database)) {
    const { noteLocalProjects } = await import('../store/projects.ts');
    noteLocalProjects(await context.store());
  }
  return setUpGitHold(context.env, runtime);
}

/** Whether the user has agreed to it before, so that there is nothing to ask. */
export function wantsGitHold({ env }: AppContext): boolean {
  return readGitHold(homeOf(env)).gitHold !== undefined;
}

interface UninstallWish {
  /** Without it every agent. */
  readonly agent?: string | undefined;
  /** Without it every scope, and the git hooks as well. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly dryRun: boolean;
}

export interface Uninstallation {
  readonly dryRun: boolean;
  readonly removed: readonly Removal[];
}

export async function uninstallHooks(
  context: AppContext,
  wish: UninstallWish,
): Promise<Uninstallation> {
  const { dryRun } = wish;
  const request = await removeRequest(context, wish);
  const settings = dryRun ? prepareRemoval(request) : await removeHooks(request);
  if (!dryRun) removeHookScript(request.home);
  const all = [...settings, ...(await uninstallGitHooks(request, context.env, wish))];
  return { dryRun, removed: all.filter(({ state }) => state !== 'absent') };
}

async function removeRequest(
  context: AppContext,
  { agent, scopes }: UninstallWish,
): Promise<RemoveRequest> {
  const all = await installers();
  const meant = agent === undefined ? all : [await installerOf(agent)];
  const files = meant.flatMap(({ name, settingsFile }) =>
    (scopes ?? SCOPES).map((scope) => ({ agent: name, file: settingsFile(scope, context) })),
  );
  const targets = new Set(files.map(({ file }) => targetOf(file)));
  return {
    home: homeOf(context.env),
    editors: new Map(all.map(({ name, editor }) => [name, editor])),
    files,
    isMeant: (it) =>
      (agent === undefined || it.agent === agent) &&
      (scopes === undefined || targets.has(it.target)),
  };
}

const SCOPES: readonly Scope[] = ['user', 'project'];

/** They hold whatever agent there is, so they go only with all of them. */
async function uninstallGitHooks(
  { home }: RemoveRequest,
  env: Environment,
  { agent, scopes, dryRun }: UninstallWish,
): Promise<Removal[]> {
  if (agent !== undefined || scopes !== undefined) return [];
  const hooks = dryRun ? prepareGitHookRemovals(home) : await removeGitHooks(home);
  const entry = await removeGitHold(env, { dryRun });
  return [...hooks.map(({ file, state }) => ({ file, state })), ...entry];
}

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
    return addHook(place, runtime);
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
    const done = dropHook(place);
    forgetGitHooks(home, [place.folder, place.ownFolder], { byUser: true });
    return done;
  });
  return { removed };
}

export interface GitHookStatus extends GitHookState {
  /** git holds pushes from this repository. */
  readonly holds: boolean;
  /** LANEHOLD_DISABLE=1 is set: the hook does nothing. */
  readonly disabled: boolean;
  /** The hook in the user's configuration of git. */
  readonly configured: ConfiguredHookState;
  /** Why git no longer holds pushes, where it did. */
  readonly gone: string | undefined;
}

/** @throws {ExplainedError} outside of a repository. */
export async function gitHookStatus({ cwd, env }: AppContext): Promise<GitHookStatus> {
  const runtime = { node: process.execPath, hook: hookProgram() };
  const home = homeOf(env);
  const installed = { ...readGitHold(home), ...readGitHookFolders(home) };
  const line = await gitHold(cwd, env, runtime, installed);
  const { clone, configured } = line;
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
