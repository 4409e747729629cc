/** Which agent an installation is for, and what its hooks start. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentWorker, Capabilities, FileProblems } from '../agents/definition.ts';
import type { AgentInstall, InstallFile, Place, Scope } from '../agents/install.ts';
import type { HookStart, Runtime } from '../agents/kit/hook-shim.ts';
import { agentsWith, RUNS_HOOKS_OF } from '../agents/registry.ts';
import { attempt, ExplainedError, UsageError } from '../base/errors.ts';
import { onPath } from '../base/files/executable.ts';
import { homeOf } from '../base/files/home.ts';
import { packageRoot } from '../base/files/package.ts';
import { nearest } from '../base/text/nearest.ts';
import { type Installation, installManifest } from './manifest.ts';

/** An agent whose hooks can be installed. */
export interface Installer extends AgentInstall {
  readonly name: string;
  readonly title: string;
  readonly capabilities: Capabilities;
  readonly worker?: AgentWorker | undefined;
  readonly problems?: FileProblems | undefined;
}

export async function installers(): Promise<readonly Installer[]> {
  const all = agentsWith('install').map(async ({ name, title, install, hooks, guards, worker }) => {
    if (hooks === undefined) throw new Error(`${name} is installed, and has no hooks`);
    const [files, problems] = await Promise.all([install(), guards?.problems?.()]);
    return { ...files, name, title, capabilities: hooks.capabilities, problems, worker };
  });
  const own = await Promise.all(all);
  return own.map((it) => {
    const other = own.find(({ name }) => name === RUNS_HOOKS_OF[it.name]);
    return other === undefined ? it : withUserHooksOf(other, it);
  });
}

/** Adds an agent that also runs the user's hooks of another one: its rows come after the other's. */
function withUserHooksOf(other: Installer, own: Installer): Installer {
  return {
    ...own,
    files: (scope, place, start) => [
      ...other
        .files(scope, place, start)
        .filter(({ what }) => scope === 'user' && what === 'hooks'),
      ...own.files(scope, place, start),
    ],
  };
}

export function defaultAgent(): string {
  return agentsWith('install')[0]?.name ?? '';
}

/** @throws {UsageError} if lanehold has no hooks for that agent. */
export async function installerOf(name: string): Promise<Installer> {
  const all = await installers();
  const found = all.find((it) => it.name === name);
  if (found !== undefined) return found;
  const names = all.map((it) => it.name);
  const meant = nearest(name, names);
  throw new UsageError(`no agent named \`${name}\``, {
    hint: meant ? `did you mean \`${meant}\`?` : `known agents: ${names.join(', ')}`,
  });
}

/** Used where files are only looked for, and no hooks are written. */
export const NO_START: HookStart = { node: '', hook: '', script: '' };

/** The recorded file as this version would write it; `undefined` if it would not. */
export function recordedFile(
  installer: AgentInstall,
  record: Pick<Installation, 'scope' | 'what' | 'file' | 'folder'>,
  { env }: Pick<Place, 'env'>,
  start: HookStart = NO_START,
): InstallFile | undefined {
  const cwd = record.folder ?? dirname(dirname(record.file));
  const all = everyFile(installer, record.scope, { env, cwd }, start);
  return all.find(({ what }) => what === record.what);
}

/** The files of an agent, with those that are written only after a person has confirmed it. */
export function everyFile(
  installer: AgentInstall,
  scope: Scope,
  place: Place,
  start: HookStart = NO_START,
): readonly InstallFile[] {
  return [
    ...installer.files(scope, place, start),
    ...(installer.trusting?.(scope, place, start) ?? []),
  ];
}

export function hookProgram(): string {
  return join(packageRoot(), 'hooks', 'lanehold-hook.cjs');
}

/** The words with which `/bin/sh` starts the hook program. @throws if it was not built. */
export function hookStart(startedBy: string, args: readonly string[]): readonly string[] {
  const script = join(packageRoot(), 'dist', 'lanehold-hook.sh');
  if (!existsSync(script)) {
    throw new ExplainedError('the hook program is not built', { hint: 'run `npm run build`' });
  }
  return [script, process.execPath, hookProgram(), startedBy, ...args];
}

/** The program that new entries start. @throws if the hook program was not built. */
export function currentRuntime(hook: string = hookProgram()): Runtime {
  try {
    accessSync(hook, constants.R_OK);
  } catch (cause) {
    throw new ExplainedError(`there is no hook program at ${hook}`, {
      hint: 'run `npm run build`, or install lanehold again',
      cause,
    });
  }
  return { node: process.execPath, hook };
}

/** True in the cache of `npx`, which may be emptied; an installation should not point there. */
export function isInCache(path: string): boolean {
  return /[\\/]_npx[\\/]/.test(path);
}

/** The folder of an agent's settings, else its program; `undefined` if both are missing. */
export function foundBy(
  { name, signs }: Pick<Installer, 'name' | 'signs'>,
  place: Place,
): string | undefined {
  // Without a home folder nothing can be found.
  const { folders, programs } = attempt(() => signs(place)) ?? { folders: [], programs: [] };
  const folder = folders.find((it) => existsSync(it) && !isMadeForOthers(it, name, place));
  if (folder !== undefined) return folder;
  const found = programs.map((it) => onPath(it, place.env));
  return found.find((it) => it !== undefined);
}

/** True for a folder that lanehold made for another agent that reads it as well. */
function isMadeForOthers(folder: string, agent: string, { env }: Place): boolean {
  const recorded = attempt(() => installManifest(homeOf(env)).installations) ?? [];
  const makers = recorded.filter(({ madeFolders }) => madeFolders.includes(folder));
  return makers.length > 0 && makers.every((it) => it.agent !== agent);
}
