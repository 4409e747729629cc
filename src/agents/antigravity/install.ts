/** Where Antigravity keeps its hooks, and what lanehold writes there. */
import { objectOr, parsedObject } from '../../base/text/json.ts';
import { agentInstall } from '../kit/agent-install.ts';
import { antigravityHooks, SERVER_TOOL } from './hooks.ts';

/** The keys of the file are names of the user's choice, with the entries below. */
const NAME = 'lanehold';

export const antigravityInstall = agentInstall({
  agent: 'antigravity',
  hooks: antigravityHooks,
  kept: 'the hooks of Antigravity',
  signs: {
    // The folder above belongs to another client.
    folders: ['antigravity-cli', 'antigravity', 'antigravity-ide'].map((it) => `~/.gemini/${it}`),
    programs: ['agy', 'antigravity'],
  },
  file: { user: '~/.gemini/config/hooks.json', project: '{root}/.agents/hooks.json' },
  skills: { user: '~/.gemini/config/skills' },
  // Time limits are whole seconds: the client drops the whole file for any other.
  matchers: ({ shell, edit }) => ({
    'before-tool': [...shell, ...edit, SERVER_TOOL].join('|'),
    'after-tool': edit.join('|'),
  }),
  // Entries for tools have to be in groups, others in a plain list: the client drops other forms.
  put: (event, entry, matcher) => ({
    path: [NAME, event],
    element: matcher === undefined ? entry : { matcher, hooks: [entry] },
  }),
  offSwitches: (_file, text) =>
    objectOr(parsedObject(text)?.[NAME])?.enabled === false ? [`${NAME}.enabled`] : [],
  afterProject:
    'start `agy` in this folder, and trust it: hooks of a folder that is not trusted do not run',
  tried: (folder) => [
    { conversationId: 'doctor', workspacePaths: [folder] },
    {
      'before-tool': {
        toolCall: { name: 'run_command', args: { CommandLine: 'git status', Cwd: folder } },
        stepIdx: 0,
      },
      'prompt-submit': { invocationNum: 0, initialNumSteps: 0 },
    },
  ],
  client: {
    program: 'agy',
    minimum: {
      version: '1.1.28',
      weakness: 'takes answers of hooks in another way',
      update: 'agy update',
    },
  },
});
