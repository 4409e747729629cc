/** Which files are settings of an agent, so that writing them may switch its hooks off. */
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../../environment.ts';

const NAMES = new Set(['settings.json', 'settings.local.json']);
const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode'];

/** @param path absolute. */
export function isAgentSettings(path: string, env: Environment): boolean {
  const folder = dirname(path);
  if (MANAGED.some((it) => path === it || path.startsWith(`${it}/`))) return true;
  if (!NAMES.has(basename(path))) return false;
  return basename(folder) === '.claude' || folder === configFolder(env);
}

/** Folders that hold settings of an agent, if `path` is one. */
export function isAgentFolder(path: string, env: Environment): boolean {
  return basename(path) === '.claude' || path === configFolder(env);
}

/** Where the user's settings are, for a folder that they lie below. */
export function userSettingsFolder(env: Environment): string | undefined {
  return configFolder(env) ?? (env.HOME ? join(env.HOME, '.claude') : undefined);
}

function configFolder({ CLAUDE_CONFIG_DIR }: Environment): string | undefined {
  return CLAUDE_CONFIG_DIR ? resolve(CLAUDE_CONFIG_DIR) : undefined;
}
