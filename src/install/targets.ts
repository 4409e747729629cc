/** Which agent an installation is for, and what its hooks start. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { AgentInstall } from '../agents/install.ts';
import { agentsWith } from '../agents/registry.ts';
import { ExplainedError, UsageError } from '../errors.ts';
import { packageRoot } from '../package.ts';
import { nearest } from '../text/nearest.ts';
import type { Runtime } from './hook-shim.ts';

/** An agent whose hooks can be installed. */
export interface Installer extends AgentInstall {
  readonly name: string;
  readonly title: string;
}

export async function installers(): Promise<readonly Installer[]> {
  const all = agentsWith('install').map(async ({ name, title, install }) => ({
    ...(await install()),
    name,
    title,
  }));
  return Promise.all(all);
}

/** The agent to install for if none is named. */
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

export function hookProgram(): string {
  return join(packageRoot(), 'hooks', 'lanehold-hook.cjs');
}

/** What new entries start. @throws if the hook program was not built. */
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

/** `npx` keeps packages in a cache that it may empty; an installation should not point there. */
export function isInCache(path: string): boolean {
  return /[\\/]_npx[\\/]/.test(path);
}
