/** Where Antigravity keeps its hooks, and what lanehold puts there. */
import { join } from 'node:path';
import { objectOr, parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { afterProject, homeFolder, inBothScopes, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles, skillFiles } from '../kit/skills.ts';
import { antigravityHooks, SERVER_TOOL } from './hooks.ts';

const {
  shell: [SHELL_TOOL],
  edit: EDIT_TOOLS,
} = antigravityHooks.tools;

/** The keys of the file are names of the user's choice; below is what the name stands for. */
const NAME = 'lanehold';

const hooks = settingsHooks({
  agent: 'antigravity',
  hooks: antigravityHooks,
  // Time limits are whole seconds: the client drops the whole file for any other.
  matchers: {
    'before-tool': [SHELL_TOOL, ...EDIT_TOOLS, SERVER_TOOL].join('|'),
    'after-tool': EDIT_TOOLS.join('|'),
  },
  // Only what belongs to a tool stands in groups; a plain list there is dropped, and a group elsewhere.
  put: (event, entry, matcher) => ({
    path: [NAME, event],
    element: matcher === undefined ? entry : { matcher, hooks: [entry] },
  }),
});

export const antigravityInstall: AgentInstall = {
  signs: (place) => ({
    // The folder above is another client's.
    folders: ['antigravity-cli', 'antigravity', 'antigravity-ide'].map((it) =>
      join(geminiFolder(place), it),
    ),
    programs: ['agy', 'antigravity'],
  }),
  files(scope, place, start) {
    return [
      hooks.row(hooksFile(scope, place), start),
      ...(scope === 'user'
        ? skillFiles(join(geminiFolder(place), 'config/skills'))
        : sharedSkillFiles(projectRoot(place))),
    ];
  },
  settingsFilesInForce: (place) => inBothScopes(hooksFile, place),
  offSwitches,
  afterwards: afterProject(
    'start `agy` in this folder, and trust it: hooks of a folder that is not trusted do not run',
  ),
  samples,
  client: {
    program: 'agy',
    minimum: {
      version: '1.1.28',
      weakness: 'takes answers of hooks in another way',
      update: 'agy update',
    },
  },
};

function hooksFile(scope: Scope, place: Place): string {
  if (scope === 'user') return join(geminiFolder(place), 'config', 'hooks.json');
  return join(projectRoot(place), '.agents', 'hooks.json');
}

const geminiFolder = (place: Pick<Place, 'env'>): string =>
  join(homeFolder(place, 'the hooks of Antigravity'), '.gemini');

function offSwitches(_file: string, text: string): string[] {
  const ours = objectOr(parsedObject(text)?.[NAME]);
  return ours?.enabled === false ? [`${NAME}.enabled`] : [];
}

function samples(folder: string): readonly Sample[] {
  const common = { conversationId: 'doctor', workspacePaths: [folder] };
  const args = { CommandLine: 'git status', Cwd: folder };
  return hooks.samples(common, {
    'before-tool': { toolCall: { name: SHELL_TOOL, args }, stepIdx: 0 },
    'prompt-submit': { invocationNum: 0, initialNumSteps: 0 },
  });
}
