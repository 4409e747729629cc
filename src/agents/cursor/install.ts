/** Where Cursor keeps its hooks, and what lanehold puts there. */
import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { projectPlace } from '../../base/git/project.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';
import { withoutByteOrderMark } from '../../base/text/json-text.ts';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { type HookStart, shimCommandLine } from '../kit/hook-shim.ts';
import { inList, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import type { EventName } from '../types.ts';
import { cursorAdapter } from './adapter.ts';
import { BEFORE_SHELL, EDIT_TOOLS } from './capabilities.ts';

export const cursorInstall: AgentInstall = {
  signs: (place) => ({ folders: [userFolder(place)], programs: ['cursor-agent', 'cursor'] }),
  files(scope, place, start) {
    const file = hooksFile(scope, place);
    const wanted = wantedHooks(start, file);
    const editor = jsonHooks({ agent: 'cursor', wanted, head: { version: 1 }, comments: true });
    const root = scope === 'user' ? dirname(userFolder(place)) : projectPlace(place.cwd).root;
    return [{ file, what: 'hooks', editor }, ...sharedSkillFiles(root)];
  },
  settingsFilesInForce: (place) => [
    '/etc/cursor/hooks.json',
    ...(['user', 'project'] as const).map((scope) => hooksFile(scope, place)),
  ],
  problems,
  afterwards: (scope) =>
    scope === 'project'
      ? ['open the project in Cursor, and trust it: else its hooks do not run']
      : [],
  samples,
  client: { program: 'cursor-agent' },
};

function hooksFile(scope: Scope, place: Place): string {
  const folder =
    scope === 'user' ? userFolder(place) : join(projectPlace(place.cwd).root, '.cursor');
  return join(folder, 'hooks.json');
}

function userFolder({ env }: Place): string {
  const home = env.HOME || homedir();
  if (isAbsolute(home)) return join(home, '.cursor');
  throw new ExplainedError('there is no home folder for the hooks of Cursor', {
    hint: 'set HOME, or install with `--project`',
  });
}

interface Entry {
  readonly event: string;
  readonly as: EventName;
  /** In seconds. */
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
    inList(event, {
      command: shimCommandLine(start, file, {
        given: [as, '--agent', 'cursor'],
        adapter: cursorAdapter,
      }),
      ...entry,
    }),
  );
}

/** What makes the command line client drop the whole file. */
function problems(text: string, file = ''): readonly string[] {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const settings = parsedJson(withoutByteOrderMark(text));
  const { version, hooks } = isJsonObject(settings) ? settings : {};
  const lists = isJsonObject(hooks) ? Object.entries(hooks) : [];
  const slashes = lists.flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown, at) => {
      const command = isJsonObject(entry) ? entry.command : undefined;
      if (typeof command !== 'string' || !command.includes('//')) return [];
      return [`hooks.${event}[${at}].command: has \`//\`, which cursor-agent takes for a comment`];
    }),
  );
  return [
    ...(isLink ? ['it is a link, which cursor-agent does not read'] : []),
    ...(version === undefined || version === 1 ? [] : ['version: is not 1']),
    ...slashes,
  ];
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
