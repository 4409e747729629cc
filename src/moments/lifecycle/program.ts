/** How the shell in which an agent runs commands calls lanehold. */
import { findHookAgent } from '../../agents/registry.ts';
import { programName } from '../../base/files/package.ts';
import type { Caller } from './handler.ts';

/** Every login shell has these folders on PATH; the profile of the machine decides on the rest. */
const LOGIN_PATH = '/usr/local/bin:/usr/bin:/bin';

export function programFor({ agent, env }: Pick<Caller, 'agent' | 'env'>): string {
  const { loginShell = false } = findHookAgent(agent)?.hooks.capabilities ?? {};
  return programName(loginShell ? { ...env, PATH: LOGIN_PATH } : env);
}
