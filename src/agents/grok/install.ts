/** Where Grok Build keeps its hooks, and what lanehold puts there. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { projectPlace } from '../../base/git/project.ts';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { type HookStart, scriptCommandLine } from '../kit/hook-shim.ts';
import { inGroup, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import type { EventName } from '../types.ts';
import { grokAdapter } from './adapter.ts';
import { EDIT_TOOLS, EVENTS, OLDEST_CLIENT, SHELL_TOOLS } from './capabilities.ts';

const NAME = 'lanehold.json';

export const grokInstall: AgentInstall = {
  signs: (place) => ({ folders: [userFolder(place)], programs: ['grok'] }),
  files(scope, place, start) {
    const file = join(folderOf(scope, place), 'hooks', NAME);
    const wanted = wantedHooks(start, file);
    const root = scope === 'user' ? homeFolder(place) : projectPlace(place.cwd).root;
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
  afterwards: (scope) =>
    scope === 'project'
      ? ['start `grok` in this folder, and type `/hooks-trust`: else its hooks do not run']
      : [],
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
  return scope === 'user' ? userFolder(place) : join(projectPlace(place.cwd).root, '.grok');
}

function userFolder({ env, cwd }: Place): string {
  return env.GROK_HOME ? resolve(cwd, env.GROK_HOME) : join(homeFolder({ env }), '.grok');
}

function homeFolder({ env }: Pick<Place, 'env'>): string {
  const home = env.HOME || homedir();
  if (isAbsolute(home)) return home;
  throw new ExplainedError('there is no home folder for the hooks of Grok Build', {
    hint: 'set HOME or GROK_HOME, or install with `--project`',
  });
}

/** In seconds, as whole numbers: any other voids the file. Without one here SessionEnd has 1.5 s. */
const TIMEOUTS: Readonly<Partial<Record<EventName, number>>> = { 'before-tool': 60, stop: 30 };
const OTHER_TIMEOUT = 15;

/** With other characters than these it would be a regular expression that may match a part. */
const MATCHERS: Readonly<Partial<Record<EventName, string>>> = {
  'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS].join('|')}|.+__.+)$`,
  'after-tool': EDIT_TOOLS.join('|'),
  'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
};

/** The client lets a tool run if a command has a `$` that it cannot fill in, so the lines have none. */
function wantedHooks(start: HookStart, file: string): WantedHook[] {
  return (Object.keys(EVENTS) as EventName[]).flatMap((event) => {
    const command = scriptCommandLine(start, file, {
      given: [event, '--agent', 'grok'],
      adapter: grokAdapter,
    });
    const entry = { type: 'command', command, timeout: TIMEOUTS[event] ?? OTHER_TIMEOUT };
    return (EVENTS[event] ?? []).map((name) => inGroup(name, entry, MATCHERS[event]));
  });
}

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
