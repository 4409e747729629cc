/** What agents need to start our hooks: written to their files, and taken out again. */
import { dirname } from 'node:path';
import type { InstallFile, Scope } from '../agents/install.ts';
import type { Environment } from '../environment.ts';
import { gitIn } from '../git/git.ts';
import { projectPlace } from '../git/project.ts';
import { type Installed, type InstallRequest, install, prepareInstall } from '../install/apply.ts';
import { targetOf } from '../install/files.ts';
import { hookScriptFile, removeHookScript, writeHookScript } from '../install/hook-script.ts';
import type { Runtime } from '../install/hook-shim.ts';
import { exclusively } from '../install/lock.ts';
import { readManifest } from '../install/manifest.ts';
import {
  prepareRemoval,
  type Removal,
  type RemoveRequest,
  uninstall as removeFiles,
} from '../install/remove.ts';
import {
  currentRuntime,
  defaultAgent,
  type Installer,
  installerOf,
  installers,
  isInCache,
  NO_START,
  recordedFile,
  scriptAgents,
} from '../install/targets.ts';
import { checkSwitches } from '../install/verify.ts';
import { packageVersion } from '../package.ts';
import { type Home, homeOf } from '../store/home.ts';
import { diffLines } from '../text/diff.ts';
import { forgetTraces } from '../watch/trace.ts';
import type { AppContext } from './context.ts';
import { uninstallGitHooks } from './git-hook.ts';

export interface InstallWish {
  readonly agent?: string | undefined;
  /** `project`: for the repository of the context and all its worktrees. */
  readonly scope: Scope;
  /** Write nothing, and say what would be written. */
  readonly dryRun: boolean;
}

interface FileInstallation
  extends Pick<InstallRequest, 'file' | 'what'>,
    Pick<Installed, 'state' | 'backup'> {
  /** What changes in the file, line by line. */
  readonly diff: readonly string[];
  /** How many hooks there are in it. */
  readonly hooks: number;
}

export interface AgentInstallation {
  readonly agent: string;
  readonly title: string;
  readonly scope: Scope;
  readonly dryRun: boolean;
  /** The hooks first. */
  readonly files: readonly FileInstallation[];
  readonly warnings: readonly string[];
  /** What a person has to do then, a sentence each. */
  readonly afterwards: readonly string[];
}

/** @param runtime what the hooks will start; by default this Node and this package's hook program. */
export async function installHooks(
  context: AppContext,
  { agent = defaultAgent(), scope, dryRun }: InstallWish,
  runtime: Runtime = currentRuntime(),
): Promise<AgentInstallation> {
  const installer = await installerOf(agent);
  const home = homeOf(context.env);
  const start = { ...runtime, script: hookScriptFile(home) };
  const wanted = installer.files(scope, context, start);
  if (!dryRun) {
    const all = await scriptAgents();
    await exclusively(home, () => writeHookScript(home, all));
  }
  const texts: string[] = [];
  const files: FileInstallation[] = [];
  for (const it of wanted) {
    const request = requestFor(context, { home, agent, scope, runtime }, it);
    const done = dryRun
      ? { ...prepareInstall(request), backup: undefined }
      : await install(request);
    const { file, what, editor } = it;
    const { state, backup, text, current = '' } = done;
    const hooks = editor.find(file, text).length;
    files.push({ file, what, state, backup, diff: diffLines(current, text), hooks });
    texts.push(text);
  }
  const warnings = [
    ...(installer.problems?.(texts[0] ?? '') ?? []).map(
      (it) => `the agent ignores the whole file: ${it}`,
    ),
    ...(await warningsFor(context, { installer, scope, wanted, runtime })),
  ];
  const afterwards = installer.afterwards?.(scope, context) ?? [];
  return { agent, title: installer.title, scope, dryRun, files, warnings, afterwards };
}

function requestFor(
  { cwd, now }: AppContext,
  fixed: { readonly home: Home; readonly runtime: Runtime } & Pick<
    InstallRequest,
    'agent' | 'scope'
  >,
  { file, what, editor }: InstallFile,
): InstallRequest {
  const folder = fixed.scope === 'project' ? cwd : undefined;
  return { ...fixed, file, what, editor, folder, version: packageVersion(), now: now() };
}

interface Installing {
  readonly installer: Installer;
  readonly scope: Scope;
  readonly wanted: readonly InstallFile[];
  readonly runtime: Runtime;
}

async function warningsFor(
  { env, cwd }: AppContext,
  { installer, scope, wanted, runtime }: Installing,
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
  for (const { file } of scope === 'project' ? wanted : []) {
    if (await wouldBeCommitted(file, env)) {
      warnings.push(`keep ${file} out of commits: it names paths of this machine`);
    }
  }
  return warnings;
}

async function wouldBeCommitted(file: string, env: Environment): Promise<boolean> {
  const root = dirname(dirname(file));
  if (projectPlace(root).kind !== 'git') return false;
  return (await gitIn(root, env).maybe(['check-ignore', file], [1, 128])) === undefined;
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
  const { dryRun, agent, scopes } = wish;
  const request = await removeRequest(context, wish);
  const files = dryRun ? prepareRemoval(request) : await removeFiles(request);
  if (!dryRun) {
    removeHookScript(request.home);
    const left = readManifest(request.home);
    for (const { agent: of } of request.files) {
      if (!left.some((it) => it.agent === of)) forgetTraces(context.env, of);
    }
  }
  // They hold whatever agent there is, so they go only with all of them.
  const isAll = agent === undefined && scopes === undefined;
  const all = [...files, ...(isAll ? await uninstallGitHooks(context, { dryRun }) : [])];
  return { dryRun, removed: all.filter(({ state }) => state !== 'absent') };
}

const SCOPES: readonly Scope[] = ['user', 'project'];

async function removeRequest(
  context: AppContext,
  { agent, scopes }: UninstallWish,
): Promise<RemoveRequest> {
  const all = await installers();
  const meant = agent === undefined ? all : [await installerOf(agent)];
  const here = meant.flatMap((installer) =>
    (scopes ?? SCOPES).flatMap((scope) =>
      installer
        .files(scope, context, NO_START)
        .map(({ file, what, editor }) => ({ agent: installer.name, scope, file, what, editor })),
    ),
  );
  return {
    home: homeOf(context.env),
    files: here.map(({ agent: name, file, what }) => ({ agent: name, file, what })),
    editorOf: ({ agent: name, file, what, scope = 'user', folder }) => {
      const known = here.find((it) => it.agent === name && it.file === file && it.what === what);
      if (known) return known.editor;
      const installer = all.find((it) => it.name === name);
      return installer && recordedFile(installer, { scope, what, file, folder }, context)?.editor;
    },
    isMeant: (it) =>
      (agent === undefined || it.agent === agent) &&
      (scopes === undefined ||
        here.some(({ agent: name, file }) => name === it.agent && targetOf(file) === it.target)),
  };
}
