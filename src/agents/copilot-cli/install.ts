/**
 * Where lanehold's hooks for Copilot CLI are written: for the user a file of its own, which counts in
 * every folder. Hooks of a repository are silently skipped where its folder is not trusted.
 *
 * Another agent of the same maker reads the user's file as well, and ignores its matchers. Its payloads
 * are told by their shape.
 */
import { join } from 'node:path';
import { parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, InstallFile, Place, Sample, Scope } from '../install.ts';
import { type SettingsHooks, settingsHooks } from '../kit/entries.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { inList } from '../kit/json-hooks.ts';
import { afterProject, projectRoot, userFolder } from '../kit/places.ts';
import { sharedSkillFiles, skillFiles } from '../kit/skills.ts';
import { copilotCliHooks, FOLDER } from './hooks.ts';

const {
  shell: SHELL_TOOLS,
  edit: EDIT_TOOLS,
  patch: [PATCH_TOOL = ''] = [],
  tasks: [TASK_TOOL = ''] = [],
} = copilotCliHooks.tools;

/** They match a whole name. A tool of a server has a dash in its name, and the client's own have none. */
const WRITING = [...EDIT_TOOLS, PATCH_TOOL];
const SPEC: SettingsHooks = {
  agent: 'copilot-cli',
  hooks: copilotCliHooks,
  matchers: {
    'before-tool': [...SHELL_TOOLS, ...WRITING, '.+[-/].+'].join('|'),
    'after-tool': [...WRITING, TASK_TOOL].join('|'),
    'after-tool-failure': WRITING.join('|'),
  },
  put: (name, { type, command, timeout }, matcher) =>
    inList(name, { type, bash: command, timeoutSec: timeout, ...(matcher && { matcher }) }),
};
const hooks = settingsHooks(SPEC);
const inOwnFile = settingsHooks({ ...SPEC, head: { version: 1 } });

export const copilotCliInstall: AgentInstall = {
  signs: (place) => ({ folders: [settingsFolder(place)], programs: ['copilot'] }),
  files,
  settingsFilesInForce,
  offSwitches: (_file, text) =>
    parsedObject(text)?.disableAllHooks === true ? ['disableAllHooks'] : [],
  afterwards: afterProject('start `copilot` in that repository, and trust its folder'),
  samples,
  client: { program: 'copilot' },
};

const settingsFolder = (place: Place): string =>
  userFolder(place, FOLDER, 'the settings of Copilot CLI');

/** Absolute. Those of a project are not committed: each working tree has its own. */
export function hooksFile(scope: Scope, place: Place): string {
  if (scope === 'user') return join(settingsFolder(place), 'hooks/lanehold.json');
  return join(projectRoot(place), '.github/copilot/settings.local.json');
}

function files(scope: Scope, place: Place, start: HookStart): readonly InstallFile[] {
  const file = hooksFile(scope, place);
  if (scope === 'project') return [hooks.row(file, start), ...sharedSkillFiles(projectRoot(place))];
  return [
    { ...inOwnFile.row(file, start), shared: true },
    ...skillFiles(join(settingsFolder(place), 'skills')),
  ];
}

/** A switch in one of them turns off the hooks of all. */
function settingsFilesInForce(place: Place): readonly string[] {
  const root = projectRoot(place);
  return [
    join(settingsFolder(place), 'settings.json'),
    join(settingsFolder(place), 'config.json'),
    ...['.github/copilot', '.claude'].flatMap((folder) => [
      join(root, folder, 'settings.json'),
      join(root, folder, 'settings.local.json'),
    ]),
  ];
}

function samples(cwd: string): readonly Sample[] {
  return hooks.samples(
    { sessionId: 'doctor', timestamp: 1, cwd },
    {
      'before-tool': { toolName: 'bash', toolArgs: { command: 'git status' } },
      'session-start': { source: 'new' },
    },
    { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: cwd },
  );
}
