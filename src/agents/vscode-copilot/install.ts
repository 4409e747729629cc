/**
 * Where VS Code finds hooks for its local sessions. For the user it runs those of a client of the same maker,
 * which the list of agents adds; in a repository it has a file of its own.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { isJsonObject } from '../../base/text/json.ts';
import type { AgentInstall, Place, Sample } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { inList } from '../kit/json-hooks.ts';
import { afterProject, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import { vscodeCopilotHooks } from './hooks.ts';

const hooks = settingsHooks({
  agent: 'vscode-copilot',
  hooks: vscodeCopilotHooks,
  // Its settings may have comments.
  comments: true,
  // The client reads matchers and does not use them.
  put: inList,
});

const PRODUCTS = ['Code', 'Code - Insiders'];

export const vscodeCopilotInstall: AgentInstall = {
  signs: (place) => ({
    folders: [
      ...userFolders(place),
      ...['.vscode', '.vscode-insiders', '.vscode-server'].map((it) => join(homeFolder(place), it)),
    ],
    programs: ['code', 'code-insiders'],
  }),
  files(scope, place, start) {
    if (scope === 'user') return sharedSkillFiles(homeFolder(place));
    const root = projectRoot(place);
    const own = hooks.row(join(root, '.github/hooks/lanehold.json'), start);
    return [own, ...sharedSkillFiles(root)];
  },
  settingsFilesInForce: (place) => [
    ...userFolders(place).map((it) => join(it, 'settings.json')),
    join(projectRoot(place), '.vscode/settings.json'),
  ],
  offSwitches,
  afterwards: afterProject(
    'open the repository in VS Code, and trust it: else its hooks do not run',
  ),
  samples,
};

const homeFolder = ({ env }: Place): string => env.HOME || homedir();

function userFolders(place: Place): readonly string[] {
  const homes = [
    place.env.XDG_CONFIG_HOME || join(homeFolder(place), '.config'),
    join(homeFolder(place), 'Library/Application Support'),
  ];
  return homes.flatMap((it) => PRODUCTS.map((product) => join(it, product, 'User')));
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

/** Both files are tried: an event has another name in each. */
function samples(cwd: string): readonly Sample[] {
  const common = { timestamp: '2026-01-01T00:00:00.000Z', cwd };
  const tried = {
    'before-tool': { tool_name: 'run_in_terminal', tool_input: { command: 'git status' } },
    'session-start': { source: 'new' },
  };
  return hooks.samples(common, tried, { COPILOT_CLI: undefined }).flatMap((it) => {
    const other = it.event.charAt(0).toLowerCase() + it.event.slice(1);
    return [it, { ...it, event: other }];
  });
}
