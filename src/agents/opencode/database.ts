/** Where the client keeps its sessions. On the hook path. */
import { resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';

/** Absolute where HOME, or the client's own variables, are. */
export function databaseFile({ HOME = '', OPENCODE_DB, XDG_DATA_HOME }: Environment): string {
  const data = resolve(XDG_DATA_HOME || `${HOME}/.local/share`, 'opencode');
  return resolve(data, OPENCODE_DB || 'opencode.db');
}
