/**
 * Where Kiro keeps its hooks, and what lanehold puts there. The editor and the newer program for terminals
 * read files of hooks; the older one reads the hooks in the file of an agent, which is the user's. There are such
 * files only for agents that a user has made.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import type { AgentInstall, InstallFile, Place, Sample, Scope } from '../install.ts';
import { linesOf } from '../kit/entries.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { inList, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { homeFolder, inBothScopes, projectRoot } from '../kit/places.ts';
import { skillFiles } from '../kit/skills.ts';
import type { EventName } from '../types.ts';
import { kiroAdapter } from './adapter.ts';
import { AGENT_EVENTS, EDIT_TOOLS, SHELL_TOOLS, TRIGGERS } from './capabilities.ts';

export const kiroInstall: AgentInstall = {
  signs: (place) => ({ folders: [folderOf('user', place)], programs: ['kiro-cli', 'kiro'] }),
  files(scope, place, start) {
    const file = hooksFile(scope, place);
    const wanted = wantedHooks(start, file);
    const head = { version: 'v1' };
    const editor = jsonHooks({ agent: 'kiro', wanted, head, eventKey: 'trigger' });
    const agents = scope === 'user' ? agentFiles(place) : [];
    return [
      { file, what: 'hooks', editor },
      ...agents.map((it) => agentRow(it, start)),
      ...skillFiles(join(folderOf(scope, place), 'skills')),
    ];
  },
  settingsFilesInForce: (place) => inBothScopes(hooksFile, place),
  problems: (_text, file = '') =>
    lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()
      ? ['it is a link, which Kiro skips']
      : [],
  afterwards: (scope) => [
    'without a terminal, start `kiro-cli chat --no-interactive --v3`: else only agents of your own have hooks',
    ...(scope === 'project' ? ['open the project in Kiro, and trust it'] : []),
  ],
  samples,
  client: {
    program: 'kiro-cli',
    minimum: {
      version: '2.27.1',
      weakness: 'runs no hooks without a terminal',
      update: 'kiro-cli update',
    },
  },
};

function hooksFile(scope: Scope, place: Place): string {
  return join(folderOf(scope, place), 'hooks/lanehold.json');
}

/** Files of a project's agents are committed, and lines with paths of this machine do not belong there. */
function agentFiles(place: Place): readonly string[] {
  const folder = join(folderOf('user', place), 'agents');
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.filter((it) => it.endsWith('.json')).map((it) => join(folder, it));
}

function agentRow(file: string, start: HookStart): InstallFile {
  const wanted = AGENT_EVENTS.map(([event, as]) =>
    inList(event, {
      ...(as === 'after-tool' ? { matcher: 'fs_write' } : {}),
      command: lines(start, file)(as),
      timeout_ms: (TIMEOUTS[as] ?? OTHER_TIMEOUT) * 1_000,
    }),
  );
  const what = `hooks of the agent ${basename(file, '.json')}`;
  return { file, what, editor: jsonHooks({ agent: 'kiro', wanted }) };
}

function folderOf(scope: Scope, place: Place): string {
  const root = scope === 'project' ? projectRoot(place) : homeFolder(place, 'the hooks of Kiro');
  return join(root, '.kiro');
}

const lines = linesOf('kiro', kiroAdapter);

/** The time limits of hooks, in seconds. */
const TIMEOUTS: Readonly<Partial<Record<EventName, number>>> = { 'before-tool': 60, stop: 30 };
const OTHER_TIMEOUT = 15;

const MATCHERS: Readonly<Partial<Record<EventName, string>>> = {
  'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS, '@.*'].join('|')})$`,
  'after-tool': `^(${EDIT_TOOLS.join('|')})$`,
};

function wantedHooks(start: HookStart, file: string): WantedHook[] {
  return TRIGGERS.map(([trigger, as]) => ({
    path: ['hooks'],
    element: {
      name: `lanehold ${trigger}`,
      trigger,
      ...(MATCHERS[as] === undefined ? {} : { matcher: MATCHERS[as] }),
      action: {
        type: 'command',
        command: lines(start, file)(as),
      },
      timeout: TIMEOUTS[as] ?? OTHER_TIMEOUT,
    },
  }));
}

function samples(cwd: string): readonly Sample[] {
  const sample = (event: string, as: EventName, fields: object): Sample => ({
    event,
    as,
    payload: { hook_event_name: event, session_id: 'doctor', cwd, ...fields },
  });
  return [
    sample('PreToolUse', 'before-tool', {
      tool_name: 'execute_bash',
      tool_input: { command: 'git status' },
    }),
    sample('SessionStart', 'session-start', {}),
  ];
}
