/**
 * Where Kiro keeps its hooks, and what lanehold puts there. The editor and the newer program for terminals
 * read files of hooks; the older one reads the hooks in the file of an agent, which is the user's. There are such
 * files only for agents that a user has made.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { inList } from '../kit/json-hooks.ts';
import { homeFolder, inBothScopes, projectRoot } from '../kit/places.ts';
import { skillFiles } from '../kit/skills.ts';
import { kiroHooks } from './hooks.ts';

const { shell: SHELL_TOOLS, edit: EDIT_TOOLS } = kiroHooks.tools;

const hooks = settingsHooks({
  agent: 'kiro',
  hooks: kiroHooks,
  head: { version: 'v1' },
  eventKey: 'trigger',
  matchers: {
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS, '@.*'].join('|')})$`,
    'after-tool': `^(${EDIT_TOOLS.join('|')})$`,
  },
  put: (trigger, { timeout, ...action }, matcher) => ({
    path: ['hooks'],
    element: {
      ...{ name: `lanehold ${trigger}`, trigger, ...(matcher && { matcher }) },
      action,
      timeout,
    },
  }),
});

const inAgent = settingsHooks({
  agent: 'kiro',
  hooks: kiroHooks,
  // Without a matcher they are asked about every tool.
  events: {
    'session-start': 'agentSpawn',
    'prompt-submit': 'userPromptSubmit',
    'before-tool': 'preToolUse',
    'after-tool': 'postToolUse',
    stop: 'stop',
  },
  matchers: { 'after-tool': 'fs_write' },
  put: (event, { command, timeout = 0 }, matcher) =>
    inList(event, { ...(matcher && { matcher }), command, timeout_ms: timeout * 1_000 }),
});

export const kiroInstall: AgentInstall = {
  signs: (place) => ({ folders: [folderOf('user', place)], programs: ['kiro-cli', 'kiro'] }),
  files(scope, place, start) {
    const agents = scope === 'user' ? agentFiles(place) : [];
    return [
      hooks.row(hooksFile(scope, place), start),
      ...agents.map((it) => inAgent.row(it, start, `hooks of the agent ${basename(it, '.json')}`)),
      ...skillFiles(join(folderOf(scope, place), 'skills')),
    ];
  },
  settingsFilesInForce: (place) => inBothScopes(hooksFile, place),
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

function folderOf(scope: Scope, place: Place): string {
  const root = scope === 'project' ? projectRoot(place) : homeFolder(place, 'the hooks of Kiro');
  return join(root, '.kiro');
}

function samples(cwd: string): readonly Sample[] {
  const tried = { tool_name: 'execute_bash', tool_input: { command: 'git status' } };
  const common = { session_id: 'doctor', cwd };
  return hooks.samples(common, { 'before-tool': tried, 'session-start': {} });
}
