/** Where Cursor keeps its hooks, and what lanehold puts there. */
import { join } from 'node:path';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { linesOf } from '../kit/entries.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { inList, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { afterProject, homeFolder, inBothScopes, projectRoot } from '../kit/places.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import type { EventName } from '../types.ts';
import { cursorAdapter } from './adapter.ts';
import { BEFORE_SHELL, EDIT_TOOLS } from './capabilities.ts';
import { problems } from './problems.ts';

export const cursorInstall: AgentInstall = {
  signs: (place) => ({
    folders: [join(rootOf('user', place), '.cursor')],
    programs: ['cursor-agent', 'cursor'],
  }),
  files(scope, place, start) {
    const file = hooksFile(scope, place);
    const wanted = wantedHooks(start, file);
    const editor = jsonHooks({ agent: 'cursor', wanted, head: { version: 1 }, comments: true });
    return [{ file, what: 'hooks', editor }, ...sharedSkillFiles(rootOf(scope, place))];
  },
  settingsFilesInForce: (place) => ['/etc/cursor/hooks.json', ...inBothScopes(hooksFile, place)],
  problems,
  afterwards: afterProject('open the project in Cursor, and trust it: else its hooks do not run'),
  samples,
  client: { program: 'cursor-agent' },
};

const hooksFile = (scope: Scope, place: Place): string =>
  join(rootOf(scope, place), '.cursor/hooks.json');

const rootOf = (scope: Scope, place: Place): string =>
  scope === 'user' ? homeFolder(place, 'the hooks of Cursor') : projectRoot(place);

const lines = linesOf('cursor', cursorAdapter);

interface Entry {
  readonly event: string;
  readonly as: EventName;
  /** The time limits of hooks, in seconds. */
  readonly timeout: number;
  readonly matcher?: string;
  /** A crash, a time-out and no answer block. */
  readonly failClosed?: true;
}

/** No more than these: with many events a run without a terminal has lost its connection. */
const ENTRIES: readonly Entry[] = [
  { event: BEFORE_SHELL, as: 'before-tool', timeout: 60, failClosed: true },
  { event: 'beforeMCPExecution', as: 'before-tool', timeout: 60, failClosed: true },
  {
    event: 'preToolUse',
    as: 'before-tool',
    timeout: 60,
    matcher: `^(${EDIT_TOOLS.join('|')})$`,
    failClosed: true,
  },
  { event: 'afterFileEdit', as: 'after-tool', timeout: 15 },
  { event: 'beforeSubmitPrompt', as: 'prompt-submit', timeout: 15 },
  { event: 'sessionStart', as: 'session-start', timeout: 15 },
  { event: 'stop', as: 'stop', timeout: 30 },
];

function wantedHooks(start: HookStart, file: string): WantedHook[] {
  return ENTRIES.map(({ event, as, ...entry }) =>
    inList(event, { command: lines(start, file)(as), ...entry }),
  );
}

function samples(folder: string): readonly Sample[] {
  const sample = (event: string, as: EventName, fields: object): Sample => ({
    event,
    as,
    payload: {
      conversation_id: 'doctor',
      generation_id: 'doctor-1',
      hook_event_name: event,
      cursor_version: 'doctor',
      workspace_roots: [folder],
      ...fields,
    },
    env: { CURSOR_PROJECT_DIR: folder },
  });
  return [
    sample(BEFORE_SHELL, 'before-tool', { command: 'git status', cwd: folder, sandbox: false }),
    sample('sessionStart', 'session-start', { session_id: 'doctor' }),
  ];
}
