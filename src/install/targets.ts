/** Which files of which agent an installation is about. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from '../agents/claude-code/adapter.ts';
import { AGENT_NAMES } from '../agents/registry.ts';
import { ExplainedError, UsageError } from '../errors.ts';
import { packageRoot } from '../package.ts';
import { nearest } from '../text/nearest.ts';
import type { Runtime } from './hook-shim.ts';

export const DEFAULT_AGENT = claudeCode.name;

/** @throws {UsageError} if lanehold does not speak with that agent. */
export function assertAgent(name: string): void {
  if (AGENT_NAMES.includes(name)) return;
  const meant = nearest(name, AGENT_NAMES);
  throw new UsageError(`no agent named \`${name}\``, {
    hint: meant ? `did you mean \`${meant}\`?` : `known agents: ${AGENT_NAMES.join(', ')}`,
  });
}

export function hookProgram(): string {
  return join(packageRoot(), 'hooks', 'lanehold-hook.cjs');
}

/** What an entry that is written now would start. @throws if the hook program was not built. */
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
