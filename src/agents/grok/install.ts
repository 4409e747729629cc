/** Where Grok Build keeps its hooks, and what lanehold puts there. */
import { join, resolve } from 'node:path';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { type EventTable, entriesFor, linesOf } from '../kit/entries.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { jsonHooks } from '../kit/json-hooks.ts';
import { afterProject, homeFolder, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import { grokAdapter } from './adapter.ts';
import { EDIT_TOOLS, EVENTS, OLDEST_CLIENT, SHELL_TOOLS } from './capabilities.ts';

const NAME = 'lanehold.json';

export const grokInstall: AgentInstall = {
  signs: (place) => ({ folders: [userFolder(place)], programs: ['grok'] }),
  files(scope, place, start) {
    const file = join(folderOf(scope, place), 'hooks', NAME);
    const wanted = entriesFor(TABLE, lines(start, file));
    const root = scope === 'user' ? home(place) : projectRoot(place);
    return [
      { file, what: 'hooks', editor: jsonHooks({ agent: 'grok', wanted }) },
      ...sharedSkillFiles(root),
    ];
  },
  settingsFilesInForce: (place) => [
    join(folderOf('user', place), 'hooks', NAME),
    join(folderOf('project', place), 'hooks', NAME),
    '/etc/grok/requirements.toml',
    '/etc/grok/managed_config.toml',
    join(userFolder(place), 'managed_config.toml'),
  ],
  offSwitches: (_file, text) =>
    /^\s*allow_managed_hooks_only\s*=\s*true/m.test(text) ? ['allow_managed_hooks_only'] : [],
  afterwards: afterProject(
    'start `grok` in this folder, and type `/hooks-trust`: else its hooks do not run',
  ),
  samples,
  client: {
    program: 'grok',
    minimum: {
      version: OLDEST_CLIENT,
      weakness: 'shows its model nothing of what hooks say after a tool',
      update: 'grok update',
    },
  },
};

function folderOf(scope: Scope, place: Place): string {
  return scope === 'user' ? userFolder(place) : join(projectRoot(place), '.grok');
}

function userFolder({ env, cwd }: Place): string {
  return env.GROK_HOME ? resolve(cwd, env.GROK_HOME) : join(home({ env }), '.grok');
}

const home = ({ env }: Pick<Place, 'env'>): string =>
  homeFolder({ env }, 'the hooks of Grok Build', 'GROK_HOME');

/** The client lets a tool run if a command has a `$` that it cannot fill in, so the lines have none. */
const lines = linesOf('grok', grokAdapter, scriptCommandLine);

const TABLE: EventTable = {
  events: EVENTS,
  // Time limits are whole seconds: any other voids the file. Without one SessionEnd has 1.5 s.
  timeouts: { 'before-tool': 60, stop: 30, other: 15 },
  // A matcher with other characters than these would be a regular expression that may match a part.
  matchers: {
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS].join('|')}|.+__.+)$`,
    'after-tool': EDIT_TOOLS.join('|'),
    'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
  },
};

function samples(folder: string): Sample[] {
  const payload = {
    hookEventName: 'pre_tool_use',
    sessionId: 'doctor',
    cwd: folder,
    workspaceRoot: folder,
    toolName: SHELL_TOOLS[0],
    toolInput: { command: 'git status' },
  };
  return [
    { event: 'PreToolUse', as: 'before-tool', payload, env: { GROK_HOOK_EVENT: 'PreToolUse' } },
  ];
}
