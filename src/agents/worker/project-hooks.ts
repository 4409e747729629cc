/**
 * Hooks that are installed for one project are in files that no commit has, so the worktree of a
 * lane lacks them. Agents that do not read the main checkout get them when they are started.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { attempt } from '../../base/errors.ts';
import { projectPlace } from '../../base/git/project.ts';
import { isJsonObject } from '../../base/text/json.ts';
import type { Place, Scope } from '../install.ts';
import type { WorkerRequest } from './worker.ts';

/**
 * The file in the main checkout with lanehold's hooks, if neither the worktree nor the user has one.
 *
 * @param hooksFile where the hooks of the agent are installed. The list of all files is not used: making it takes the
 * whole package, and a supervisor runs outside of it.
 */
export function hooksOfMainCheckout(
  { worktree, env }: WorkerRequest,
  hooksFile: (scope: Scope, place: Place) => string,
) {
  const gitDir = attempt(() => projectPlace(worktree).identity) ?? '';
  if (basename(gitDir) !== '.git') return undefined;
  const found = (scope: Scope, cwd: string) => {
    const file = attempt(() => hooksFile(scope, { env, cwd })) ?? '';
    const text = attempt(() => readFileSync(file, 'utf8'));
    return text?.includes(MARK) ? { file, text } : undefined;
  };
  if (found('project', worktree) ?? found('user', worktree)) return undefined;
  return found('project', dirname(gitDir));
}

const MARK = 'lanehold';

/** `{"<event>": [entries]}` with lanehold's entries alone. */
export function ourHooks(text: string): Readonly<Record<string, unknown>> {
  const settings: unknown = parseJsonc(text);
  const hooks = isJsonObject(settings) && isJsonObject(settings.hooks) ? settings.hooks : {};
  const own = Object.entries(hooks).map(([event, entries]) => [
    event,
    Array.isArray(entries) ? entries.filter((it) => JSON.stringify(it).includes(MARK)) : [],
  ]);
  return Object.fromEntries(own);
}
