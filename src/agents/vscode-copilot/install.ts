/**
 * Where VS Code finds hooks for its local sessions. For the user it runs those of a client of the
 * same maker, which the list of agents adds; for a repository it has a file of its own.
 */
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { isJsonObject } from '../../base/text/json.ts';
import type { Place } from '../install.ts';
import { agentInstall } from '../kit/agent-install.ts';
import { inList } from '../kit/json-hooks.ts';
import { homeFolder } from '../kit/places.ts';
import { vscodeCopilotHooks } from './hooks.ts';

const KEPT = 'the hooks of VS Code';

const own = agentInstall({
  agent: 'vscode-copilot',
  hooks: vscodeCopilotHooks,
  kept: KEPT,
  signs: {
    folders: ['.vscode', '.vscode-insiders', '.vscode-server'].map((it) => `~/${it}`),
    programs: ['code', 'code-insiders'],
  },
  file: { project: '{root}/.github/hooks/lanehold.json' },
  inForce: ['{root}/.vscode/settings.json'],
  // Its settings may have comments.
  comments: true,
  // The client reads matchers and ignores them.
  put: inList,
  offSwitches,
  afterProject: 'open the repository in VS Code, and trust it: else its hooks do not run',
  tried: (cwd) => [
    { timestamp: '2026-01-01T00:00:00.000Z', cwd },
    {
      'before-tool': { tool_name: 'run_in_terminal', tool_input: { command: 'git status' } },
      'session-start': { source: 'new' },
    },
    { COPILOT_CLI: undefined },
  ],
});

export const vscodeCopilotInstall = {
  ...own,
  signs(place: Place) {
    const { folders, programs } = own.signs(place);
    return { folders: [...userFolders(place), ...folders], programs };
  },
  settingsFilesInForce: (place: Place) => [
    ...userFolders(place).map((it) => join(it, 'settings.json')),
    ...own.settingsFilesInForce(place),
  ],
  /** Both files are tried, because an event has another name in each. */
  samples: (folder: string) =>
    own.samples(folder).flatMap((it) => {
      const other = it.event.charAt(0).toLowerCase() + it.event.slice(1);
      return [it, { ...it, event: other }];
    }),
};

function userFolders(place: Place): readonly string[] {
  const home = homeFolder(place, KEPT);
  const homes = [
    place.env.XDG_CONFIG_HOME || join(home, '.config'),
    join(home, 'Library/Application Support'),
  ];
  const products = ['Code', 'Code - Insiders'];
  return homes.flatMap((it) => products.map((product) => join(it, product, 'User')));
}

/** The folders of hook files can be switched off one by one. */
function offSwitches(_file: string, text: string): readonly string[] {
  const settings: unknown = parseJsonc(text);
  if (!isJsonObject(settings)) return [];
  const places = settings['chat.hookFilesLocations'];
  const off = Object.entries(isJsonObject(places) ? places : {}).filter(
    ([place, isOn]) => isOn === false && /^(?:~\/\.copilot|\.github)\/hooks\/?$/.test(place),
  );
  return [
    ...(settings['chat.useHooks'] === false ? ['chat.useHooks'] : []),
    ...(off.length > 0 ? ['chat.hookFilesLocations'] : []),
  ];
}
