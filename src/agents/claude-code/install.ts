/** Where Claude Code keeps its settings, and what lanehold puts there. */
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, Place, Sample } from '../install.ts';
import { type EventTable, entriesFor, type LineOf, linesOf, samplesFor } from '../kit/entries.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { inGroup, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { homeFolder, mainCheckout, projectRoot } from '../kit/places.ts';
import { skillFiles } from '../kit/skills.ts';
import { statusLineFile } from '../kit/status-line.ts';
import { claudeCodeAdapter } from './adapter.ts';
import { EDIT_TOOLS, EVENTS, SHELL_TOOLS, TASK_TOOLS } from './capabilities.ts';
import { clientPlugin } from './client-plugin.ts';
import { problems } from './problems.ts';

const NAME = 'claude-code';
/** Other agents run these hooks as well, and one of them reads a `$` in a line itself. */
const lines = linesOf(NAME, claudeCodeAdapter, scriptCommandLine);

export const claudeCodeInstall: AgentInstall = {
  signs: ({ env, cwd }) => ({ folders: [userFolder(env, cwd)], programs: ['claude'] }),
  files(scope, { env, cwd }, start) {
    const file =
      scope === 'user' ? join(userFolder(env, cwd), 'settings.json') : localSettings(cwd);
    const wanted = hooksOf(lines(start, file));
    return [
      { file, what: 'hooks', editor: jsonHooks({ agent: NAME, wanted }) },
      ...skillFiles(join(dirname(file), 'skills')),
      // A line in a project would take the place of the one that the user has for all of them.
      ...(scope === 'user' ? [statusLineFile(file, start)] : []),
    ];
  },
  settingsFilesInForce,
  problems,
  offSwitches,
  samples,
  plugin: clientPlugin({ userFolder, settingsFilesInForce, hooksOf }),
  client: {
    program: 'claude',
    minimum: {
      // The first version that knows `onFailure`.
      version: '2.1.295',
      weakness: 'lets a command run if its hook fails',
      update: 'claude update',
    },
  },
};

/** A switch in one of them turns off the hooks of all. */
function settingsFilesInForce({ env, cwd }: Place): string[] {
  const root = projectRoot({ cwd });
  const files = [
    '/etc/claude-code/managed-settings.json',
    join(userFolder(env, cwd), 'settings.json'),
    localSettings(cwd),
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
  ];
  return [...new Set(files)];
}

function userFolder(env: Environment, cwd: string): string {
  if (env.CLAUDE_CONFIG_DIR) return resolve(cwd, env.CLAUDE_CONFIG_DIR);
  return join(homeFolder({ env }, 'the settings of Claude Code', 'CLAUDE_CONFIG_DIR'), '.claude');
}

/**
 * The local settings of the main checkout. The client reads them in subfolders and in every linked
 * worktree. `.claude/settings.json` counts only in the folder in which a session starts, and only
 * on branches that have it; and it is shared, so that paths of this machine do not belong there.
 */
function localSettings(cwd: string): string {
  return join(mainCheckout({ cwd }), '.claude', 'settings.local.json');
}

const TABLE: EventTable = {
  events: EVENTS,
  // Time limits are seconds. Without one here the client ends SessionEnd hooks after 1.5 s.
  timeouts: {
    'before-tool': 60,
    stop: 30,
    'session-start': 15,
    'after-tool': 15,
    'after-tool-failure': 15,
    'before-compact': 15,
    other: 10,
  },
  matchers: {
    // A matcher with other characters than these is a regular expression that may match a part.
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS, 'mcp__.*'].join('|')})$`,
    'after-tool': [...EDIT_TOOLS, ...TASK_TOOLS].join('|'),
    'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
  },
};

function hooksOf(lineOf: LineOf): readonly WantedHook[] {
  return entriesFor(TABLE, lineOf, inGroup, (event) =>
    event === 'before-tool' ? { onFailure: 'block' } : {},
  );
}

/** `allowManagedHooksOnly` counts in the managed settings only. */
function offSwitches(file: string, text: string): string[] {
  const settings = parsedObject(text) ?? {};
  return ['disableAllHooks', 'allowManagedHooksOnly'].filter(
    (key) => settings[key] === true && (key === 'disableAllHooks' || file.startsWith('/etc/')),
  );
}

function samples(cwd: string): readonly Sample[] {
  return samplesFor(
    EVENTS,
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'Bash', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { CLAUDE_PROJECT_DIR: cwd },
  );
}
