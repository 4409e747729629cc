/** Sets up git's own hook: in one repository, or in the configuration of the user. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Scope } from '../../agents/install.ts';
import type { Runtime } from '../../agents/kit/hook-shim.ts';
import { ExplainedError, explained } from '../../base/errors.ts';
import { onPath } from '../../base/files/executable.ts';
import { homeOf } from '../../base/files/home.ts';
import { isInside } from '../../base/files/inside.ts';
import type { Git } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { type ConfiguredHookState, configuredHookState } from '../../git-hold/configured-hook.ts';
import { gitHold, heldByGit, whyGone } from '../../git-hold/git-hold.ts';
import { installGitHold, installInClone, removeGitHold } from '../../git-hold/git-hold-setup.ts';
import {
  installGitHook,
  installHuskyLines,
  prepareGitHookRemovals,
  removeGitHook,
  removeGitHooks,
} from '../../git-hold/git-hook.ts';
import { gitHookState, isStarted } from '../../git-hold/git-hook-state.ts';
import {
  type HookFolder,
  hookFolder,
  hookFolderRemarks,
  isTracked,
  wouldShowInRepository,
} from '../../git-hold/hook-folder.ts';
import { hasHuskyLines, huskyFile, isForShell } from '../../git-hold/husky-line.ts';
import { installManifest } from '../../install/manifest.ts';
import type { Removal } from '../../install/remove.ts';
import { currentRuntime, hookProgram } from '../../install/targets.ts';
import type { AppContext } from '../context.ts';

export type GitHoldReport = Awaited<ReturnType<typeof setUpGitHold>>;

/** Makes git itself hold pushes: of every repository, or of the one in the context. */
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
  const git = gitIn('/', context.env);
  const done = await installGitHold(git, context.env, runtime);
  return { ...done, warnings: await remarksEverywhere(git, context, done.form) };
}

/** Settings of the user under which git does not start the hook. */
async function remarksEverywhere(git: Git, { env }: AppContext, form: 'configuration' | 'clones') {
  const own = git.at('/', { ownHooks: true });
  if (form === 'configuration') {
    const { state, remark } = await configuredHookState(own, homeOf(env));
    return state === 'installed' ? [] : [`git does not start it: ${remark}`];
  }
  const path = await own.maybe(['config', 'core.hooksPath']);
  if (path === undefined) return [];
  return [
    `core.hooksPath is ${JSON.stringify(path.trim())} for every repository: there git does not hold, see \`lanehold git-hook status\``,
  ];
}

/** Whether the user has agreed before, so that there is no question. */
export function wantsGitHold({ env }: AppContext): boolean {
  return installManifest(homeOf(env)).gitHold !== undefined;
}

/**
 * Removes the hooks of git from its configuration and from repositories.
 *
 * @param scopes the scopes to undo; by default all, and hooks in single clones as well.
 */
export async function uninstallGitHooks(
  { cwd, env }: AppContext,
  { dryRun, scopes }: { readonly dryRun: boolean; readonly scopes?: readonly Scope[] | undefined },
): Promise<Removal[]> {
  const home = homeOf(env);
  const { gitHooks, sessionGitHooks = [] } = installManifest(home);
  const { kind, root, identity } = projectPlace(cwd);
  const own = kind === 'folder' ? [] : [root, identity];
  const isHere = (folder: string) => own.some((it) => isInside(it, folder));
  const meant =
    scopes === undefined
      ? gitHooks
      : gitHooks.filter(
          (it) =>
            (scopes.includes('user') && sessionGitHooks.includes(it)) ||
            (scopes.includes('project') && isHere(it)),
        );
  const hooks = dryRun ? prepareGitHookRemovals(meant) : await removeGitHooks(home, meant);
  const isOfUser = scopes?.includes('user') ?? true;
  const entry = isOfUser ? await removeGitHold(gitIn('/', env), env, { dryRun }) : [];
  return [...hooks.map(({ file, state }) => ({ file, state })), ...entry];
}

export type InstalledGitHook = Awaited<ReturnType<typeof setUpGitHook>>;

/**
 * @param runtime what the hook will start; by default this Node and this package's program.
 * @throws {ExplainedError} if the hooks are files of the project, which stay as they are.
 */
export async function setUpGitHook({ cwd, env }: AppContext, runtime: Runtime = currentRuntime()) {
  const place = await hookFolder(gitIn(cwd, env));
  const isThere = ['installed', 'broken'].includes(gitHookState(place, runtime).state);
  if (!isThere && (await isTracked(place))) {
    throw new ExplainedError(`the hooks in ${place.folder} are files of the project`, {
      hint: 'with git 2.54 or newer, `lanehold install` holds on this machine alone; or let the hook of the project ask: `lanehold git-hook install --in-project`',
    });
  }
  const done = await installGitHook(homeOf(env), place, runtime);
  const { other } = gitHookState(place, runtime);
  const warnings = await hookFolderRemarks(place, done.file, runtime.hook);
  if (!(await isStarted(place)))
    warnings.push('git does not start it here: see `lanehold git-hook status`');
  if (done.setAside !== undefined) {
    warnings.push(`a hook that ran first until now is set aside as ${done.setAside}`);
  }
  return { ...done, other, warnings };
}

/** Adds lines to the project's hook that hold pushes in every clone with lanehold, and do nothing elsewhere. */
export async function setUpInProject({ cwd, env }: AppContext): Promise<InstalledGitHook> {
  const place = await hookFolder(gitIn(cwd, env));
  const file = huskyFile(place) ?? join(place.folder, 'pre-push');
  if (!isForShell(file) || !isInside(place.place.root, file)) {
    const hint =
      'let it start `lanehold git-hook run "$@"` with its input, and fail where that fails';
    throw new ExplainedError(`${file} is no shell script of the project`, { hint });
  }
  const state = await withLines(env, place, file);
  const warnings = state === 'new' ? [`commit ${file}, so that every clone has it`] : [];
  return { state, file, other: undefined, setAside: undefined, warnings };
}

async function withLines(env: NodeJS.ProcessEnv, place: HookFolder, file: string, isDry?: 'dry') {
  if (hasHuskyLines(file)) return 'current' as const;
  if (isDry === undefined) await installHuskyLines(homeOf(env), place, file);
  return 'new' as const;
}

/**
 * Makes git hold pushes from a clone with features, which is the default unless a person removed the hook.
 *
 * @returns the file of the hook, if it was written now.
 */
export async function holdByDefault({ cwd, env }: AppContext): Promise<string | undefined> {
  if (projectPlace(cwd).kind !== 'git') return undefined;
  const git = gitIn(cwd, env);
  return (await heldByGit(git, env)) ? undefined : installInClone(git, env, currentRuntime());
}

/** How git holds pushes from a clone after `holdHere`, or why it does not. */
export interface GitHoldHere {
  readonly state: 'new' | 'current' | 'left';
  /** The hook file of this clone; `null` if git's configuration starts the hook, or there is none. */
  readonly file: string | null;
  readonly why: string | null;
  /** A file of the project, relative to its root, that holds them in every clone. */
  readonly husky: { readonly state: 'new' | 'current'; readonly file: string } | null;
}

/**
 * Makes git hold pushes from this clone, unless that would change other repositories or the project.
 *
 * @throws {ExplainedError} outside of a repository.
 */
export async function holdHere(
  context: AppContext,
  { dryRun }: { readonly dryRun: boolean },
  runtime?: Runtime,
): Promise<GitHoldHere> {
  const git = gitIn(context.cwd, context.env);
  const place = await hookFolder(git);
  const { value, scope } = place.setting ?? {};
  const left = { state: 'left' as const, file: null, husky: null };
  if (scope === 'global' || scope === 'system') {
    return { ...left, why: `core.hooksPath is ${value} for every repository` };
  }
  const husky = await huskyHere(context, place, { dryRun });
  const { file, state: found } = gitHookState(place, runtime ?? currentRuntime());
  // A folder whose files git shows belongs to the project; so does that of husky before version 9.
  const isShown = await wouldShowInRepository(place, file);
  const against = isShown && whyOfProject(context, place, husky);
  if (against) return { ...left, husky, why: against };
  const form = await heldByGit(git, context.env);
  if (isShown || form !== undefined || (husky?.state === 'current' && found === 'installed')) {
    const state = husky?.state ?? 'current';
    return { state, file: form === 'clone' ? file : null, why: null, husky };
  }
  const failure = dryRun || (await setUpGitHook(context, runtime).catch(explained));
  if (failure instanceof ExplainedError) return { ...left, husky, why: failure.message };
  return { state: 'new', file, why: null, husky };
}

/** Why a hook in a folder of the project does not hold; `undefined` if it does. */
function whyOfProject(
  { env }: AppContext,
  { folder }: HookFolder,
  husky: GitHoldHere['husky'],
): string | undefined {
  if (husky === null) return `its hooks are files of the project: ${folder}`;
  // The lines in a shared file start lanehold by its name.
  const isNamed = onPath('lanehold', env) !== undefined;
  return isNamed ? undefined : `${husky.file} holds pushes only where lanehold is on PATH`;
}

async function huskyHere(
  { env }: AppContext,
  place: HookFolder,
  { dryRun }: { readonly dryRun: boolean },
) {
  const file = huskyFile(place);
  if (file === undefined || !isForShell(file)) return null;
  const state = await withLines(env, place, file, dryRun ? 'dry' : undefined);
  return { state, file: relative(place.place.root, file) };
}

/** Tells which lines belong to the project, so that an uninstallation leaves them. */
export async function huskyLinesLeft(
  { cwd, env }: AppContext,
  removed: readonly Removal[],
): Promise<string[]> {
  if (projectPlace(cwd).kind !== 'git') return [];
  const husky = huskyFile(await hookFolder(gitIn(cwd, env)));
  const isGone = !husky || !hasHuskyLines(husky) || removed.some(({ file }) => file === husky);
  if (isGone) return [];
  return [
    `${husky}, a file of the project: its lines hold pushes where lanehold is; to take them out: \`lanehold git-hook remove\``,
  ];
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
  const installed = installManifest(homeOf(env));
  const line = await gitHold(gitIn(cwd, env), env, runtime, installed);
  const { clone, configured } = line;
  // The hook then does nothing.
  const disabled = env.LANEHOLD_DISABLE === '1';
  const isThere = [clone.state, configured.state].includes('installed');
  const path = installed.gitHold === 'clones' && !isThere ? clone.setting?.value : undefined;
  const left = path === undefined ? undefined : `core.hooksPath is ${JSON.stringify(path)}`;
  const gone = whyGone(line) ?? left;
  return { holds: isThere && !disabled, disabled, ...clone, configured, gone };
}

/** Whether git's own hook holds here, or why it no longer does; neither outside of a repository. */
export async function gitHookHere(
  context: AppContext,
): Promise<Partial<Pick<GitHookStatus, 'holds' | 'gone'>>> {
  const status = await gitHookStatus(context).catch(explained);
  return status instanceof ExplainedError ? {} : status;
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
