/** Writes the files that agents need to start lanehold's hooks, and removes them. */
import { dirname } from 'node:path';
import type { Extra, InstallFile, Scope } from '../../agents/install.ts';
import type { Runtime } from '../../agents/kit/hook-shim.ts';
import { attempt, explained } from '../../base/errors.ts';
import { type Home, homeOf } from '../../base/files/home.ts';
import { packageVersion } from '../../base/files/package.ts';
import { assertWritable, readText, targetOf } from '../../base/files/user-files.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { diffLines } from '../../base/text/diff.ts';
import { type Installing, install, prepareInstall } from '../../install/apply.ts';
import { hookScriptFile, removeHookScript, writeHookScript } from '../../install/hook-script.ts';
import { exclusively, installManifest } from '../../install/manifest.ts';
import { type RemoveRequest, uninstall } from '../../install/remove.ts';
import { removeRules } from '../../install/rules-files.ts';
import {
  currentRuntime,
  defaultAgent,
  everyFile,
  foundBy,
  type Installer,
  installerOf,
  installers,
  isInCache,
  recordedFile,
} from '../../install/targets.ts';
import { checkSwitches } from '../../install/verify.ts';
import { forgetTraces } from '../../moments/watch/trace.ts';
import type { AppContext } from '../context.ts';
import { type Enforcement, enforcementOf } from '../hold/enforcement.ts';
import { besidePlugin, hasPlugin, pluginsLeft } from './client-plugins.ts';
import { huskyLinesLeft, uninstallGitHooks } from './git-hook.ts';
import { endResidents } from './resident.ts';

export interface InstallWish {
  /** Names of agents; by default those on this machine, or the first of all. */
  readonly agents?: readonly string[] | undefined;
  /** `project`: for the repository of the context and all its worktrees. */
  readonly scope: Scope;
  /** Write nothing, and say what would be written. */
  readonly dryRun: boolean;
  /** The person confirms in advance what the agents would ask about the hooks. */
  readonly trust?: boolean;
  /** The files beside the hooks, by default skills; `recorded`: only those that were installed before. */
  readonly extras?: readonly Extra[] | 'recorded';
}

export interface AgentInstallation {
  readonly agent: string;
  readonly title: string;
  readonly scope: Scope;
  readonly dryRun: boolean;
  /** The folder or program that shows the agent on this machine; `null` if it was not found. */
  readonly foundBy: string | null;
  /** The hooks first. */
  readonly files: readonly Omit<Written, 'text'>[];
  readonly enforcement: Enforcement;
  readonly warnings: readonly string[];
  /** The next steps for a person, a sentence each. */
  readonly afterwards: readonly string[];
  /** Why nothing was written for this agent, and what to do about it. */
  readonly problem: { readonly message: string; readonly hint: string | undefined } | null;
}

export interface InstallReport {
  readonly dryRun: boolean;
  readonly agents: readonly [AgentInstallation, ...AgentInstallation[]];
}

/**
 * Installs hooks. A problem with the files of one agent does not stop the others.
 *
 * @param runtime what the hooks will start; by default this Node and this package's hook program.
 * @throws {ExplainedError} if there is only one agent, and nothing can be written for it.
 */
export async function installHooks(
  context: AppContext,
  wish: InstallWish,
  runtime: Runtime = currentRuntime(),
): Promise<InstallReport> {
  const { dryRun } = wish;
  const [only, ...others] = await agentsFor(context, wish);
  if (!dryRun) {
    const home = homeOf(context.env);
    await exclusively(home, () => writeHookScript(home));
  }
  const attempted = (it: Installer): Promise<AgentInstallation> => {
    const installed = installAgent(context, it, wish, runtime);
    if (others.length === 0) return installed;
    return installed.catch((error) => failure(context, it, wish, error));
  };
  const agents: [AgentInstallation, ...AgentInstallation[]] = [await attempted(only)];
  for (const it of others) agents.push(await attempted(it));
  return { dryRun, agents };
}

async function agentsFor(
  context: AppContext,
  { agents = [] }: InstallWish,
): Promise<[Installer, ...Installer[]]> {
  const all = await installers();
  const names = [...new Set(agents)];
  const found =
    names.length > 0
      ? await Promise.all(names.map(installerOf))
      : all.filter((it) => foundBy(it, context) !== undefined);
  const [first = await installerOf(defaultAgent()), ...others] = found;
  return [first, ...others];
}

function failure(
  context: AppContext,
  installer: Installer,
  { scope, dryRun }: InstallWish,
  error: unknown,
): AgentInstallation {
  const { message, hint } = explained(error);
  const problem = { message, hint };
  return { ...aboutAgent(context, installer), scope, dryRun, ...NOTHING, problem };
}

const NOTHING = { files: [], warnings: [], afterwards: [] };

function aboutAgent(context: AppContext, installer: Installer) {
  const { name, title, capabilities } = installer;
  const found = foundBy(installer, context) ?? null;
  return { agent: name, title, foundBy: found, enforcement: enforcementOf(capabilities) };
}

async function installAgent(
  context: AppContext,
  installer: Installer,
  { scope, dryRun, trust = false, extras = ['skills'] }: InstallWish,
  runtime: Runtime,
): Promise<AgentInstallation> {
  const { name: agent } = installer;
  const home = homeOf(context.env);
  const start = { ...runtime, script: hookScriptFile(home) };
  const wanted = installer.files(scope, context, start);
  const folder = scope === 'project' ? context.cwd : undefined;
  const [version, now] = [packageVersion(), context.now()];
  const by = { home, agent, scope, runtime, version, now, folder };
  const write = (it: InstallFile) => writeFile(by, it, dryRun);
  const needed = wanted.filter(({ extra }) => extra === undefined);
  // All files are checked before one is written.
  for (const it of needed) {
    const { state } = prepareInstall(by, it);
    if (!dryRun && state !== 'current') assertWritable(targetOf(it.file));
  }
  const written: Written[] = [];
  for (const it of needed) written.push(await write(it));
  // A plugin of the client brings the skills.
  const hasSkills = hasPlugin(installer, context);
  const wantedExtras = wanted.filter(
    (row) => isWantedExtra(home, agent, row, extras) && !(hasSkills && row.extra === 'skills'),
  );
  const { done, leftOut } = await writeExtras(wantedExtras, write);
  written.push(...done);
  for (const it of trust ? (installer.trusting?.(scope, context, start) ?? []) : []) {
    written.push(await write(it));
  }
  const warnings = [
    ...leftOut,
    ...(installer.problems?.(written[0]?.text ?? '', wanted[0]?.file ?? '') ?? []).map(
      (it) => `the agent ignores the whole file: ${it}`,
    ),
    ...(await warningsFor(context, installer, wanted, by)),
  ];
  const isTrusted = (await installer.trust?.(scope, context))?.state === 'trusted';
  const afterwards = isTrusted ? [] : (installer.afterwards?.(scope, context) ?? []);
  const files = written.map(({ text: _, ...file }) => file);
  const about = aboutAgent(context, installer);
  return { ...about, scope, dryRun, files, warnings, afterwards, problem: null };
}

type Written = Awaited<ReturnType<typeof writeFile>>;

/** @returns the written files, and why others were left out. */
async function writeExtras(
  rows: readonly InstallFile[],
  write: (row: InstallFile) => Promise<Written>,
) {
  const leftOut: string[] = [];
  const done: Written[] = [];
  for (const it of rows) {
    const written = await write(it).catch(explained);
    if ('hint' in written) leftOut.push(`without the ${it.what}: ${written.message}`);
    else done.push(written);
  }
  return { done, leftOut };
}

/** False for an extra that the user has removed from a file, unless it is requested again. */
function isWantedExtra(
  home: Home,
  agent: string,
  { extra, file, what, editor }: InstallFile,
  wanted: NonNullable<InstallWish['extras']>,
): boolean {
  if (extra === undefined) return false;
  if (wanted !== 'recorded' && wanted.includes(extra)) return true;
  const isRecorded = installManifest(home).installations.some(
    (it) => it.agent === agent && it.file === file && it.what === what,
  );
  const text = attempt(() => readText(file));
  return isRecorded && (text === undefined || editor.withoutOurs(file, text) !== text);
}

async function writeFile(by: Installing, row: InstallFile, dryRun: boolean) {
  const { file, what, editor } = row;
  const done = dryRun ? prepareInstall(by, row) : await install(by, row);
  const { state, backup, text, current = '' } = done;
  const hooks = editor.find(file, text).length;
  const note = editor.note?.(text);
  return { file, what, state, backup, diff: diffLines(current, text), hooks, note, text };
}

async function warningsFor(
  { env, cwd }: AppContext,
  installer: Installer,
  wanted: readonly InstallFile[],
  { scope, runtime }: Pick<Installing, 'scope' | 'runtime'>,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { state, fact } of checkSwitches({ env, cwd }, [installer])) {
    if (state !== 'ok') warnings.push(fact);
  }
  for (const { fact, hint } of besidePlugin(installer, { env, cwd })) {
    warnings.push(`${fact}; ${hint}`);
  }
  if (isInCache(runtime.hook)) {
    warnings.push(
      'the hooks lead into the cache of npx, which may be emptied: `npm install -g lanehold` first',
    );
  }
  if (env.LANEHOLD_HOME) {
    warnings.push(
      'LANEHOLD_HOME is set: start the agent with it, too, or its hooks use another folder',
    );
  }
  // Skills contain no path of this machine.
  const named = wanted.filter(({ extra }) => extra === undefined);
  for (const { file } of scope === 'project' ? named : []) {
    if (await wouldBeCommitted(file, env)) {
      warnings.push(`keep ${file} out of commits: it names paths of this machine`);
    }
  }
  return warnings;
}

async function wouldBeCommitted(file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const root = dirname(dirname(file));
  if (projectPlace(root).kind !== 'git') return false;
  return (await gitIn(root, env).maybe(['check-ignore', file], [1, 128])) === undefined;
}

export interface UninstallWish {
  /** Names of agents; by default all. */
  readonly agents?: readonly string[] | undefined;
  /** The scopes; by default all, and the git hooks as well. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly dryRun: boolean;
}

export type Uninstallation = Awaited<ReturnType<typeof uninstallHooks>>;

/** The removed files, those that stay because a person made them or they are lanehold's data, and failures. */
export async function uninstallHooks(context: AppContext, wish: UninstallWish) {
  const { dryRun, agents, scopes } = wish;
  const request = await removeRequest(context, wish);
  const files = await uninstall(request, dryRun);
  if (!dryRun) {
    removeHookScript(request.home);
    const left = installManifest(request.home).installations;
    for (const { agent: of } of request.files) {
      if (!left.some((it) => it.agent === of)) forgetTraces(context.env, of);
    }
  }
  // Git's hooks hold for every agent, so they are removed only with all agents.
  const isAll = agents === undefined && scopes === undefined;
  if (isAll && !dryRun) await endResidents(context);
  const rules = scopes === undefined ? removeRules(request.home, { agents, dryRun }) : [];
  const all = [
    ...files,
    ...rules.map((file) => ({ file, state: 'deleted' as const })),
    ...(agents === undefined ? await uninstallGitHooks(context, { dryRun, scopes }) : []),
  ];
  const removed = all.filter(({ state }) => !['absent', 'kept', 'failed'].includes(state));
  const failed = files.flatMap(({ file, error }) =>
    error === undefined ? [] : [{ file, message: error.message, hint: error.hint }],
  );
  const meant = (await installers()).filter(({ name }) => agents?.includes(name) ?? true);
  const left = [
    ...(isAll ? await huskyLinesLeft(context, removed) : []),
    ...files
      .filter(({ state }) => state === 'kept')
      .map(({ file }) => `${file}, which other agents read as well`),
    ...(removed.length === 0 ? [] : meant.flatMap((it) => it.leftBehind?.(context) ?? [])),
    ...(scopes === undefined ? meant.flatMap((it) => pluginsLeft(it, context)) : []),
  ];
  return { dryRun, removed, left, failed };
}

const SCOPES: readonly Scope[] = ['user', 'project'];

async function removeRequest(
  context: AppContext,
  { agents, scopes }: UninstallWish,
): Promise<RemoveRequest> {
  const all = await installers();
  const meant = agents === undefined ? all : await Promise.all(agents.map(installerOf));
  const here = meant.flatMap((installer) =>
    (scopes ?? SCOPES).flatMap((scope) =>
      everyFile(installer, scope, context).map((it) => ({ ...it, agent: installer.name, scope })),
    ),
  );
  return {
    home: homeOf(context.env),
    files: here.map(({ agent: name, file, what }) => ({ agent: name, file, what })),
    rowOf: ({ agent: name, file, what, scope = 'user', folder }) => {
      const known = here.find((it) => it.agent === name && it.file === file && it.what === what);
      if (known) return known;
      const installer = all.find((it) => it.name === name);
      return installer && recordedFile(installer, { scope, what, file, folder }, context);
    },
    isMeant: (it) =>
      (agents?.includes(it.agent) ?? true) &&
      (scopes === undefined ||
        here.some(({ agent: name, file }) => name === it.agent && targetOf(file) === it.target)),
  };
}
