/** Where the two agents of Windsurf keep their hooks, and what lanehold puts there. */
import { join } from 'node:path';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { inList } from '../kit/json-hooks.ts';
import { afterProject, homeFolder as homeOf, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles, skillFiles } from '../kit/skills.ts';
import { LOCAL_EVENTS, windsurfHooks } from './hooks.ts';

const {
  shell: [SHELL_TOOL],
  edit: EDIT_TOOLS,
} = windsurfHooks.tools;

const cascade = settingsHooks({
  agent: 'windsurf',
  hooks: windsurfHooks,
  // It knows no time limit and no matcher.
  put: (event, { command }) => inList(event, { command, show_output: false }),
});

const local = settingsHooks({
  agent: 'windsurf',
  hooks: windsurfHooks,
  events: LOCAL_EVENTS,
  matchers: {
    'before-tool': `^(${[SHELL_TOOL, ...EDIT_TOOLS, 'mcp__.*'].join('|')})$`,
    'after-tool': `^(${EDIT_TOOLS.join('|')})$`,
  },
});

export const windsurfInstall: AgentInstall = {
  signs: (place) => ({
    folders: [
      ...['.codeium/windsurf', '.codeium'].map((it) => join(homeFolder(place), it)),
      localFolder(place),
    ],
    programs: ['windsurf', 'devin'],
  }),
  files(scope, place, start) {
    const [own, ofLocal, ofPlugin] = filesOf(scope, place);
    return [
      cascade.row(own, start),
      local.row(ofLocal, start, 'hooks of Devin Local'),
      ...(ofPlugin ? [cascade.row(ofPlugin, start, 'hooks of the JetBrains plugin')] : []),
      ...(scope === 'user'
        ? skillFiles(join(homeFolder(place), '.codeium/windsurf/skills'))
        : sharedSkillFiles(projectRoot(place))),
    ];
  },
  settingsFilesInForce: (place) => [
    '/etc/devin/hooks.json',
    ...(['user', 'project'] as const).flatMap((scope) =>
      filesOf(scope, place).filter((it) => it !== undefined),
    ),
  ],
  afterwards: afterProject('open the project in Windsurf, and trust it: else its hooks do not run'),
  samples,
};

/**
 * Of Cascade, of Devin Local, and of the plugin for JetBrains, which has a user's file of its own. The older
 * names of the project’s folder are read by all versions.
 */
function filesOf(scope: Scope, place: Place): readonly [string, string, string?] {
  if (scope === 'user') {
    const [own, ofPlugin] = ['.codeium/windsurf', '.codeium'].map((it) =>
      join(homeFolder(place), it, 'hooks.json'),
    ) as [string, string];
    return [own, join(localFolder(place), 'config.json'), ofPlugin];
  }
  const root = projectRoot(place);
  return [join(root, '.windsurf/hooks.json'), join(root, '.devin/config.local.json')];
}

const localFolder = (place: Place): string => join(homeFolder(place), '.config/devin');

const homeFolder = (place: Place): string => homeOf(place, 'the hooks of Windsurf');

function samples(cwd: string): readonly Sample[] {
  const tried = {
    'before-tool': { tool_info: { command_line: 'git status', cwd } },
    'prompt-submit': { tool_info: { user_prompt: 'hello' } },
  };
  return cascade.samples({ trajectory_id: 'doctor' }, tried, {}, 'agent_action_name');
}
