/** Where the two agents of Windsurf keep their hooks, and what lanehold writes there. */
import { agentInstall, settingsHooks, whole } from '../kit/agent-install.ts';
import { inList } from '../kit/json-hooks.ts';
import { placed } from '../kit/places.ts';
import { LOCAL_EVENTS, windsurfHooks } from './hooks.ts';

const KEPT = { kept: 'the hooks of Windsurf' };

/** The folder of a project has its older name, which all versions of Cascade read. */
const CASCADE = {
  user: '~/.codeium/windsurf/hooks.json',
  project: '{root}/.windsurf/hooks.json',
};
const LOCAL = {
  user: '~/.config/devin/config.json',
  project: '{root}/.devin/config.local.json',
};
/** Cascade in JetBrains has its own user's file. */
const JETBRAINS = '~/.codeium/hooks.json';

const cascade = {
  agent: 'windsurf',
  hooks: windsurfHooks,
  // It has no time limits and no matchers.
  put: (event: string, { command }: { readonly command: string }) =>
    inList(event, { command, show_output: false }),
};

const local = settingsHooks({
  agent: 'windsurf',
  hooks: windsurfHooks,
  events: LOCAL_EVENTS,
  matchers: ({ shell, edit }) => ({
    'before-tool': whole(...shell, ...edit, 'mcp__.*'),
    'after-tool': whole(...edit),
  }),
});

export const windsurfInstall = agentInstall({
  ...cascade,
  ...KEPT,
  signs: {
    folders: ['~/.codeium/windsurf', '~/.codeium', '~/.config/devin'],
    programs: ['windsurf', 'devin'],
  },
  file: CASCADE,
  others(scope, place, start) {
    const at = (path: string) => placed(path, place, KEPT);
    const ofLocal = local.row(at(LOCAL[scope]), start, 'hooks of Devin Local');
    if (scope === 'project') return [ofLocal];
    const what = 'hooks of the JetBrains plugin';
    return [ofLocal, settingsHooks(cascade).row(at(JETBRAINS), start, what)];
  },
  skills: { user: '~/.codeium/windsurf/skills' },
  inForce: [
    '/etc/devin/hooks.json',
    CASCADE.user,
    LOCAL.user,
    JETBRAINS,
    CASCADE.project,
    LOCAL.project,
  ],
  afterProject: 'open the project in Windsurf, and trust it: else its hooks do not run',
  tried: (cwd) => [
    { trajectory_id: 'doctor' },
    {
      'before-tool': { tool_info: { command_line: 'git status', cwd } },
      'prompt-submit': { tool_info: { user_prompt: 'hello' } },
    },
    {},
    'agent_action_name',
  ],
});
