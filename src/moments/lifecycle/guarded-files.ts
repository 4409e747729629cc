/**
 * The files that holds depend on. They are recognised by their paths, and a git hook by its text:
 * this runs before every edit, and has to be quick.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { AgentGuards } from '../../agents/definition.ts';
import { agentsWith } from '../../agents/registry.ts';
import type { Reply } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { packageRoot } from '../../base/files/package.ts';
import { realPath } from '../../base/files/real-path.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { CONFIGURED_HOOK } from '../../base/text/git-hook.ts';
import { isGitConfig, tamperingText } from '../../commands/guard/layers.ts';
import { type Caller, NO_OPINION } from './handler.ts';

const RECORDS = 'what lanehold keeps for itself';
const AGENT_SETTINGS = 'the settings that run lanehold’s hooks';
const GIT_HOOK = 'the git hook that holds pushes';
const GIT_CONFIG = 'a configuration of git that can switch off the hook that holds pushes';
const PROGRAM = 'the program that holds';

/** A noun for a file on which holds depend; with `tree`, for a folder with such a file as well. */
export function guardedFiles(
  env: NodeJS.ProcessEnv,
): (path: string, use: 'file' | 'tree') => string | undefined {
  const home = attempt(() => homeOf(env).root);
  let root: string | undefined;
  return (path, use) => {
    root ??= packageRoot();
    if (path === ANY_HOME) return RECORDS;
    for (const it of new Set([path, realPath(path)])) {
      if (isOfProgram(it, root, use)) return PROGRAM;
      const noun = ofFile(it, home, env) ?? (use === 'tree' ? ofFolder(it, home, env) : undefined);
      if (noun !== undefined) return noun;
    }
    return undefined;
  };
}

/** The file that identifies a moved project. */
const CLONE_ID = /\.git\/(?:modules\/.*\/)?lanehold(?:\/id)?$/;

/** Files that record what a remote has, with which a push is compared. */
const REMOTE_REFS = /\/\.git\/(?:(?:packed-refs|FETCH_HEAD)$|refs\/remotes(?:\/|$))/;

/** The recogniser's path for lanehold's home in an unknown folder. */
const ANY_HOME = '~/.lanehold';

function ofFile(
  path: string,
  home: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (home !== undefined && [home, realPath(home)].some((it) => isRecord(it, path))) return RECORDS;
  if (isAgentSettings(path, env)) return AGENT_SETTINGS;
  if (isOwnGitConfig(path, home, env)) return GIT_CONFIG;
  if (CLONE_ID.test(path)) return RECORDS;
  if (REMOTE_REFS.test(path)) return 'what is known of a remote';
  return isOwnHook(path) ? GIT_HOOK : undefined;
}

/**
 * Whether a file belongs to the running program; its source, if there is one, does not. A folder around the package may
 * be removed: without the program, the script in LANEHOLD_HOME and git's own hook refuse releases.
 */
function isOfProgram(path: string, root: string, use: 'file' | 'tree'): boolean {
  if (use === 'tree' && path === root) return true;
  return isInside(root, path) && /^(?:bin|dist|hooks)(?:\/|$)/.test(relative(root, path));
}

/** Whether a path is one of lanehold's records. A worker may change files in its worktree, but not its folder. */
function isRecord(home: string, path: string): boolean {
  if (!isInside(home, path)) return false;
  const [folder, ...rest] = relative(home, path).split(sep);
  const [, , , inLane] = rest;
  return folder !== 'worktrees' || inLane === undefined;
}

function ofFolder(
  path: string,
  home: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (home !== undefined && isInside(path, home)) return RECORDS;
  if (hasAgentSettings(path, env)) return AGENT_SETTINGS;
  const hooks = ['', 'hooks', '.git/hooks', '.husky', '.husky/_'];
  return hooks.some((it) => isOwnHook(join(path, it, 'pre-push'))) ? GIT_HOOK : undefined;
}

/** True for the git configuration that starts lanehold's hook, and for those that can override it. */
function isOwnGitConfig(path: string, home: string | undefined, env: NodeJS.ProcessEnv): boolean {
  return isGitConfig(path, env) && home !== undefined && isFile(join(home, CONFIGURED_HOOK));
}

/** A `pre-push` hook that mentions lanehold; others belong to the user. */
function isOwnHook(path: string): boolean {
  if (!basename(path).startsWith('pre-push')) return false;
  return isFile(path) && (attempt(() => readFileSync(path, 'utf8'))?.includes('lanehold') ?? false);
}

function isFile(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))?.isFile() ?? false;
}

const isInside = (folder: string, path: string): boolean =>
  isWithin(folder === '/' ? '' : folder, path);

// The settings of agents, where their hooks can be switched off.

export const AGENT_GUARDS: readonly AgentGuards[] = agentsWith('guards').map((it) => it.guards);

/** The usual folder below a home or a project, and the name or the pattern of a file. */
const SETTINGS = AGENT_GUARDS.flatMap(({ files, folderVariable }) =>
  files.map((file) => ({ folder: dirname(file), name: basename(file), folderVariable })),
);
type SettingsPlace = (typeof SETTINGS)[number];

/** @param path absolute. */
function isAgentSettings(path: string, env: NodeJS.ProcessEnv): boolean {
  const managed = AGENT_GUARDS.flatMap((it) => it.managed ?? []);
  return (
    managed.some((it) => path === it || path.startsWith(`${it}/`)) ||
    SETTINGS.some((it) => isIn(dirname(path), it, env) && isNamed(basename(path), it))
  );
}

function isIn(folder: string, it: SettingsPlace, env: NodeJS.ProcessEnv): boolean {
  return folder.endsWith(`/${it.folder}`) || folder === chosenFolder(it, env);
}

const isNamed = (name: string, { name: pattern }: SettingsPlace): boolean =>
  pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern;

/** Whether a folder contains settings of the user or of a project. */
function hasAgentSettings(folder: string, env: NodeJS.ProcessEnv): boolean {
  const names = attempt(() => readdirSync(folder)) ?? [];
  return SETTINGS.some((it) => {
    const own = chosenFolder(it, env) ?? (env.HOME && join(env.HOME, it.folder));
    const isOne = (name: string) => isNamed(name, it) && isFile(join(folder, name));
    return (own && isInside(folder, own)) || (isIn(folder, it, env) && names.some(isOne));
  });
}

/** The folder of the user's settings that a variable selects, if it is set. */
function chosenFolder(
  { folder: usual, folderVariable }: SettingsPlace,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const folder = folderVariable && env[folderVariable.name];
  if (!folder || !isWithin(folderVariable.folder, usual)) return undefined;
  return resolve(folder, relative(folderVariable.folder, usual));
}

/** Asks a person about an edit of such a file. */
export function beforeEdit(
  paths: readonly string[],
  { env }: Pick<Caller, 'env'>,
  { subject, use }: Edit = { subject: 'edit', use: 'file' },
): Reply {
  const guarded = guardedFiles(env);
  for (const path of paths) {
    const noun = guarded(path, use) ?? asGitConfig(path, env);
    if (noun !== undefined) return asked(`change or remove ${noun}`, path, subject);
  }
  return NO_OPINION;
}

interface Edit {
  readonly subject: 'edit' | 'call';
  readonly use: 'file' | 'tree';
}

export function asked(what: string, where: string, subject: Edit['subject']): Reply {
  return { decision: 'ask', reason: tamperingText({ what, where }, subject) };
}

/** Whether it is a git configuration; the new text is unknown, so it counts wherever git holds pushes. */
function asGitConfig(path: string, env: NodeJS.ProcessEnv): string | undefined {
  if (![path, realPath(path)].some((it) => isGitConfig(it, env))) return undefined;
  const record = attempt(() => readFileSync(homeOf(env).manifest, 'utf8')) ?? '';
  return /"gitHo(?:ld|oks)"/.test(record) ? GIT_CONFIG : undefined;
}
