/** Where the two agents of Windsurf keep their hooks, and what lanehold puts there. */
import { join } from 'node:path';
import type { AgentInstall, InstallFile, Place, Sample, Scope } from '../install.ts';
import { type EventTable, entriesFor, linesOf } from '../kit/entries.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { inList, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { afterProject, homeFolder as homeOf, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles, skillFiles } from '../kit/skills.ts';
import type { EventName } from '../types.ts';
import { windsurfAdapter } from './adapter.ts';
import { CASCADE_EVENTS, EDIT_TOOLS, LOCAL_EVENTS, SHELL_TOOL } from './capabilities.ts';

export const windsurfInstall: AgentInstall = {
  signs: (place) => ({
    folders: [
      ...['.codeium/windsurf', '.codeium'].map((it) => join(homeFolder(place), it)),
      localFolder(place),
    ],
    programs: ['windsurf', 'devin'],
  }),
  files(scope, place, start) {
    const [cascade, local, plugin] = filesOf(scope, place);
    const row = (what: string, file: string, hooksOf: typeof cascadeHooks): InstallFile => ({
      file,
      what,
      editor: jsonHooks({ agent: 'windsurf', wanted: hooksOf(start, file) }),
    });
    return [
      row('hooks', cascade, cascadeHooks),
      row('hooks of Devin Local', local, localHooks),
      ...(plugin === undefined ? [] : [row('hooks of the JetBrains plugin', plugin, cascadeHooks)]),
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
    const [cascade, plugin] = ['.codeium/windsurf', '.codeium'].map((it) =>
      join(homeFolder(place), it, 'hooks.json'),
    ) as [string, string];
    return [cascade, join(localFolder(place), 'config.json'), plugin];
  }
  const root = projectRoot(place);
  return [join(root, '.windsurf/hooks.json'), join(root, '.devin/config.local.json')];
}

const localFolder = (place: Place): string => join(homeFolder(place), '.config/devin');

const homeFolder = (place: Place): string => homeOf(place, 'the hooks of Windsurf');

const lines = linesOf('windsurf', windsurfAdapter);

/** It knows no time limit and no matcher. */
function cascadeHooks(start: HookStart, file: string): readonly WantedHook[] {
  return CASCADE_EVENTS.map(([event, as]) =>
    inList(event, { command: lines(start, file)(as), show_output: false }),
  );
}

const LOCAL_TABLE: EventTable = {
  events: LOCAL_EVENTS,
  // Time limits are seconds.
  timeouts: { 'before-tool': 60, stop: 30, other: 15 },
  matchers: {
    'before-tool': `^(${[SHELL_TOOL, ...EDIT_TOOLS, 'mcp__.*'].join('|')})$`,
    'after-tool': `^(${EDIT_TOOLS.join('|')})$`,
  },
};

const localHooks = (start: HookStart, file: string): readonly WantedHook[] =>
  entriesFor(LOCAL_TABLE, lines(start, file));

function samples(folder: string): readonly Sample[] {
  const sample = (event: string, as: EventName, tool_info: object): Sample => ({
    event,
    as,
    payload: { agent_action_name: event, trajectory_id: 'doctor', tool_info },
  });
  return [
    sample('pre_run_command', 'before-tool', { command_line: 'git status', cwd: folder }),
    sample('pre_user_prompt', 'prompt-submit', { user_prompt: 'hello' }),
  ];
}
