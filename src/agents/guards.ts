/** Which files are settings of an agent, so that writing them may switch its hooks off. */
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import type { AgentGuards } from './definition.ts';
import { agentsWith } from './registry.ts';

export const AGENT_GUARDS: readonly AgentGuards[] = agentsWith('guards').map((it) => it.guards);

/** @param path absolute. */
export function isAgentSettings(path: string, env: Environment): boolean {
  const folder = dirname(path);
  return AGENT_GUARDS.some(
    (it) =>
      it.managed.some((managed) => path === managed || path.startsWith(`${managed}/`)) ||
      (it.files.includes(basename(path)) && isFolderOf(it, folder, env)),
  );
}

/** The settings files that a folder of settings can hold; none for any other folder. */
export function settingsIn(folder: string, env: Environment): readonly string[] {
  const own = AGENT_GUARDS.filter((it) => isFolderOf(it, folder, env));
  return own.flatMap(({ files }) => files.map((it) => join(folder, it)));
}

/** The folders of the user's settings. */
export function userSettingsFolders(env: Environment): readonly string[] {
  return AGENT_GUARDS.flatMap((it) => {
    const folder = chosenFolder(it, env) ?? (env.HOME && join(env.HOME, it.folder));
    return folder ? [folder] : [];
  });
}

function isFolderOf(guards: AgentGuards, folder: string, env: Environment): boolean {
  return folder.endsWith(`/${guards.folder}`) || folder === chosenFolder(guards, env);
}

function chosenFolder({ folderVariable }: AgentGuards, env: Environment): string | undefined {
  const folder = folderVariable && env[folderVariable];
  return folder ? resolve(folder) : undefined;
}
