/** Where Claude Code keeps its settings, and what lanehold puts there. */
import { dirname, join } from 'node:path';
import { parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, Place, Sample } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { mainCheckout, projectRoot, userFolder } from '../kit/places.ts';
import { skillFiles } from '../kit/skills.ts';
import { statusLineFile } from '../kit/status-line.ts';
import { claudeCodeAdapter } from './adapter.ts';
import { EDIT_TOOLS, EVENTS, FOLDER, SHELL_TOOLS, TASK_TOOLS } from './capabilities.ts';
import { clientPlugin } from './client-plugin.ts';

const hooks = settingsHooks({
  agent: 'claude-code',
  adapter: claudeCodeAdapter,
  // Other agents run these hooks as well, and one of them reads a `$` in a line itself.
  line: scriptCommandLine,
  events: EVENTS,
  matchers: {
    // A matcher with other characters than these is a regular expression that may match a part.
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS, 'mcp__.*'].join('|')})$`,
    'after-tool': [...EDIT_TOOLS, ...TASK_TOOLS].join('|'),
    'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
  },
  more: (event) => (event === 'before-tool' ? { onFailure: 'block' } : {}),
});

export const claudeCodeInstall: AgentInstall = {
  signs: (place) => ({ folders: [settingsFolder(place)], programs: ['claude'] }),
  files(scope, place, start) {
    const file =
      scope === 'user' ? join(settingsFolder(place), 'settings.json') : localSettings(place);
    return [
      hooks.row(file, start),
      ...skillFiles(join(dirname(file), 'skills')),
      // A line in a project would take the place of the one that the user has for all of them.
      ...(scope === 'user' ? [statusLineFile(file, start)] : []),
    ];
  },
  settingsFilesInForce,
  offSwitches,
  samples,
  plugin: clientPlugin({ settingsFolder, settingsFilesInForce, hooksOf: hooks.wanted }),
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
function settingsFilesInForce(place: Place): string[] {
  const root = projectRoot(place);
  const files = [
    '/etc/claude-code/managed-settings.json',
    join(settingsFolder(place), 'settings.json'),
    localSettings(place),
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(place.cwd, '.claude', 'settings.json'),
  ];
  return [...new Set(files)];
}

function settingsFolder(place: Place): string {
  return userFolder(place, FOLDER, 'the settings of Claude Code');
}

/**
 * The local settings of the main checkout. The client reads them in subfolders and in every linked
 * worktree. `.claude/settings.json` counts only in the folder in which a session starts, and only
 * on branches that have it; and it is shared, so that paths of this machine do not belong there.
 */
const localSettings = (place: Place): string =>
  join(mainCheckout(place), '.claude', 'settings.local.json');

/** `allowManagedHooksOnly` counts in the managed settings only. */
function offSwitches(file: string, text: string): string[] {
  const settings = parsedObject(text) ?? {};
  return ['disableAllHooks', 'allowManagedHooksOnly'].filter(
    (key) => settings[key] === true && (key === 'disableAllHooks' || file.startsWith('/etc/')),
  );
}

function samples(cwd: string): readonly Sample[] {
  return hooks.samples(
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'Bash', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { CLAUDE_PROJECT_DIR: cwd },
  );
}
