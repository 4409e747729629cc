/** Where Cursor keeps its hooks, and what lanehold puts there. */
import { join } from 'node:path';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { inList } from '../kit/json-hooks.ts';
import { afterProject, homeFolder, inBothScopes, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import { BEFORE_SHELL, cursorHooks } from './hooks.ts';

const { edit: EDIT_TOOLS } = cursorHooks.tools;

const EDITS = `^(${EDIT_TOOLS.join('|')})$`;

const hooks = settingsHooks({
  agent: 'cursor',
  hooks: cursorHooks,
  head: { version: 1 },
  comments: true,
  // No more than these: with many events a run without a terminal has lost its connection.
  events: {
    'before-tool': [BEFORE_SHELL, 'beforeMCPExecution', 'preToolUse'],
    'after-tool': 'afterFileEdit',
    'prompt-submit': 'beforeSubmitPrompt',
    'session-start': 'sessionStart',
    stop: 'stop',
  },
  put: (event, { type: _, ...entry }) =>
    inList(event, event === 'preToolUse' ? { ...entry, matcher: EDITS } : entry),
  // A crash, a time-out and no answer block.
  more: (event) => (event === 'before-tool' ? { failClosed: true } : {}),
});

export const cursorInstall: AgentInstall = {
  signs: (place) => ({
    folders: [join(rootOf('user', place), '.cursor')],
    programs: ['cursor-agent', 'cursor'],
  }),
  files(scope, place, start) {
    const own = hooks.row(hooksFile(scope, place), start);
    return [own, ...sharedSkillFiles(rootOf(scope, place))];
  },
  settingsFilesInForce: (place) => ['/etc/cursor/hooks.json', ...inBothScopes(hooksFile, place)],
  afterwards: afterProject('open the project in Cursor, and trust it: else its hooks do not run'),
  samples,
  client: { program: 'cursor-agent' },
};

const hooksFile = (scope: Scope, place: Place): string =>
  join(rootOf(scope, place), '.cursor/hooks.json');

const rootOf = (scope: Scope, place: Place): string =>
  scope === 'user' ? homeFolder(place, 'the hooks of Cursor') : projectRoot(place);

function samples(folder: string): readonly Sample[] {
  return hooks.samples(
    {
      conversation_id: 'doctor',
      generation_id: 'doctor-1',
      cursor_version: 'doctor',
      workspace_roots: [folder],
    },
    {
      'before-tool': { command: 'git status', cwd: folder, sandbox: false },
      'session-start': { session_id: 'doctor' },
    },
    { CURSOR_PROJECT_DIR: folder },
  );
}
