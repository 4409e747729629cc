/**
 * Writes lanehold's hooks for Copilot CLI. The user's hooks have a file of their own, which counts in every folder. The
 * client silently skips hooks of a repository whose folder is not trusted.
 *
 * Another agent of the same maker reads the user's file as well, and ignores its matchers. Its payloads are told by
 * their shape.
 */
import { parsedObject } from '../../base/text/json.ts';
import type { Place, Scope } from '../install.ts';
import { agentInstall } from '../kit/agent-install.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { inList } from '../kit/json-hooks.ts';
import { copilotCliHooks, FOLDER } from './hooks.ts';

const installWith = (head: Readonly<Record<string, unknown>>) =>
  agentInstall({
    agent: 'copilot-cli',
    hooks: copilotCliHooks,
    kept: 'the settings of Copilot CLI',
    user: FOLDER,
    signs: { folders: ['{user}'], programs: ['copilot'] },
    file: {
      user: '{user}/hooks/lanehold.json',
      project: '{root}/.github/copilot/settings.local.json',
    },
    skills: { user: '{user}/skills' },
    // A switch in one of them turns off the hooks of all.
    inForce: [
      '{user}/settings.json',
      '{user}/config.json',
      ...['.github/copilot', '.claude'].flatMap((folder) => [
        `{root}/${folder}/settings.json`,
        `{root}/${folder}/settings.local.json`,
      ]),
    ],
    head,
    // Matchers match a whole name. A tool of a server has a dash in its name, and the client's own have none.
    matchers: ({ shell, edit, patch = [], tasks = [] }) => ({
      'before-tool': [...shell, ...edit, ...patch, '.+[-/].+'].join('|'),
      'after-tool': [...edit, ...patch, ...tasks].join('|'),
      'after-tool-failure': [...edit, ...patch].join('|'),
    }),
    put: (name, { type, command, timeout }, matcher) =>
      inList(name, { type, bash: command, timeoutSec: timeout, ...(matcher && { matcher }) }),
    offSwitches: (_file, text) =>
      parsedObject(text)?.disableAllHooks === true ? ['disableAllHooks'] : [],
    afterProject: 'start `copilot` in that repository, and trust its folder',
    tried: (cwd) => [
      { sessionId: 'doctor', timestamp: 1, cwd },
      {
        'before-tool': { toolName: 'bash', toolArgs: { command: 'git status' } },
        'session-start': { source: 'new' },
      },
      { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: cwd },
    ],
    client: { program: 'copilot' },
  });

const forProject = installWith({});
const forUser = installWith({ version: 1 });

export const copilotCliInstall = {
  ...forProject,
  files(scope: Scope, place: Place, start: HookStart) {
    if (scope === 'project') return forProject.files(scope, place, start);
    const [hooks, ...skills] = forUser.files(scope, place, start);
    return hooks === undefined ? [] : [{ ...hooks, shared: true as const }, ...skills];
  },
};
