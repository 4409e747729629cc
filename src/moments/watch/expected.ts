/** Finds the agents whose hooks should run in a place: hooks were installed for it, or have run. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { projectPlace } from '../../base/git/project.ts';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { hasTraces } from './trace.ts';

export interface ExpectedAgent {
  readonly agent: string;
  /** The agent's name, as its maker writes it. */
  readonly title: string;
  /** The settings file with its hooks; absent if they came another way, as with a plugin. */
  readonly file?: string;
  readonly installedAt?: Date;
}

/** @param root the root of the working tree: installations for another project do not count. */
export function expectedAgents(env: NodeJS.ProcessEnv, root: string): ExpectedAgent[] {
  const recorded = installations(env);
  return AGENTS.flatMap(({ name: agent, title, hooks }): ExpectedAgent[] => {
    if (hooks === undefined) return [];
    const own = recorded.filter((it) => it.agent === agent && (it.what ?? 'hooks') === 'hooks');
    if (own.length === 0) {
      return hasTraces(env, agent) ? [{ agent, title }] : [];
    }
    return own.flatMap(({ file, scope, folder, installedAt }) => {
      if (typeof file !== 'string') return [];
      const project = typeof folder === 'string' ? folder : dirname(file);
      if (scope === 'project' && identityOf(project) !== identityOf(root)) return [];
      return { agent, title, file, installedAt: new Date(String(installedAt)) };
    });
  });
}

/** The identity, which all worktrees of a repository share. */
const identityOf = (folder: string): string | undefined =>
  attempt(() => projectPlace(folder).identity);

/** The record of installations, without a validation, which takes longer than the rest. */
function installations(env: NodeJS.ProcessEnv): JsonObject[] {
  const record: unknown = attempt(() => JSON.parse(readFileSync(homeOf(env).manifest, 'utf8')));
  const listed = isJsonObject(record) ? record.installations : undefined;
  return Array.isArray(listed) ? listed.filter(isJsonObject) : [];
}
