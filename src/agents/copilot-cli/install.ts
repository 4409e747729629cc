/**
 * Where lanehold's hooks for Copilot CLI are written: for the user a file of its own, which counts in
 * every folder. Hooks of a repository are silently skipped where its folder is not trusted.
 *
 * Another agent of the same maker reads the user's file as well, and ignores its matchers. Its payloads
 * are told by their shape.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, InstallFile, Place, Sample, Scope } from '../install.ts';
import { linesOf } from '../kit/entries.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { inList, jsonHooks } from '../kit/json-hooks.ts';
import { afterProject, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles, skillFiles } from '../kit/skills.ts';
import type { EventName } from '../types.ts';
import { copilotCliAdapter } from './adapter.ts';
import { EDIT_TOOLS, EVENTS, PATCH_TOOL, SHELL_TOOLS, TASK_TOOL } from './capabilities.ts';

const lines = linesOf('copilot-cli', copilotCliAdapter);

export const copilotCliInstall: AgentInstall = {
  signs: (place) => ({ folders: [userFolder(place)], programs: ['copilot'] }),
  files,
  settingsFilesInForce,
  offSwitches: (_file, text) =>
    parsedObject(text)?.disableAllHooks === true ? ['disableAllHooks'] : [],
  afterwards: afterProject('start `copilot` in that repository, and trust its folder'),
  samples,
  client: { program: 'copilot' },
};

function userFolder({ env, cwd }: Place): string {
  if (env.COPILOT_HOME) return resolve(cwd, env.COPILOT_HOME);
  return join(env.HOME || homedir(), '.copilot');
}

/** Absolute. Those of a project are not committed: each working tree has its own. */
export function hooksFile(scope: Scope, place: Place): string {
  if (scope === 'user') return join(userFolder(place), 'hooks/lanehold.json');
  return join(projectRoot(place), '.github/copilot/settings.local.json');
}

function files(scope: Scope, place: Place, start: HookStart): readonly InstallFile[] {
  const file = hooksFile(scope, place);
  const wanted = (Object.keys(EVENTS) as (keyof typeof EVENTS)[]).map((event) =>
    inList(EVENTS[event], {
      type: 'command',
      bash: lines(start, file)(event),
      timeoutSec: TIMEOUTS[event] ?? OTHER_TIMEOUT,
      ...(MATCHERS[event] === undefined ? {} : { matcher: MATCHERS[event] }),
    }),
  );
  const head = scope === 'user' ? { head: { version: 1 } } : {};
  const editor = jsonHooks({ agent: 'copilot-cli', wanted, ...head });
  return scope === 'user'
    ? [
        { file, what: 'hooks', editor, shared: true },
        ...skillFiles(join(userFolder(place), 'skills')),
      ]
    : [{ file, what: 'hooks', editor }, ...sharedSkillFiles(projectRoot(place))];
}

/** The time limits of hooks, in seconds. */
const TIMEOUTS: Readonly<Partial<Record<EventName, number>>> = {
  'before-tool': 60,
  stop: 30,
  'session-start': 15,
  'after-tool': 15,
  'after-tool-failure': 15,
  'before-compact': 15,
};
const OTHER_TIMEOUT = 10;

/** They match a whole name. A tool of a server has a dash in its name, and the client's own have none. */
const WRITING = [...EDIT_TOOLS, PATCH_TOOL];
const MATCHERS: Readonly<Partial<Record<EventName, string>>> = {
  'before-tool': [...SHELL_TOOLS, ...WRITING, '.+[-/].+'].join('|'),
  'after-tool': [...WRITING, TASK_TOOL].join('|'),
  'after-tool-failure': WRITING.join('|'),
};

/** A switch in one of them turns off the hooks of all. */
function settingsFilesInForce(place: Place): readonly string[] {
  const root = projectRoot(place);
  return [
    join(userFolder(place), 'settings.json'),
    join(userFolder(place), 'config.json'),
    ...['.github/copilot', '.claude'].flatMap((folder) => [
      join(root, folder, 'settings.json'),
      join(root, folder, 'settings.local.json'),
    ]),
  ];
}

function samples(cwd: string): readonly Sample[] {
  const sample = (as: keyof typeof EVENTS, fields: object): Sample => ({
    event: EVENTS[as],
    as,
    payload: { sessionId: 'doctor', timestamp: 1, cwd, ...fields },
    env: { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: cwd },
  });
  return [
    sample('before-tool', { toolName: 'bash', toolArgs: { command: 'git status' } }),
    sample('session-start', { source: 'new' }),
  ];
}
