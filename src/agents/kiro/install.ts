/**
 * Where Kiro keeps its hooks, and what lanehold writes there. The editor and the newer program for
 * terminals read files of hooks. The older program reads the hooks in the file of an agent, and
 * such files exist only for agents that a user has made.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { agentInstall, settingsHooks, whole } from '../kit/agent-install.ts';
import { inList } from '../kit/json-hooks.ts';
import { placed } from '../kit/places.ts';
import { kiroHooks } from './hooks.ts';

const KEPT = { kept: 'the hooks of Kiro' };

const inAgent = settingsHooks({
  agent: 'kiro',
  hooks: kiroHooks,
  // Hooks without a matcher run at every tool.
  events: {
    'session-start': 'agentSpawn',
    'prompt-submit': 'userPromptSubmit',
    'before-tool': 'preToolUse',
    'after-tool': 'postToolUse',
    stop: 'stop',
  },
  matchers: () => ({ 'after-tool': 'fs_write' }),
  put: (event, { command, timeout = 0 }, matcher) =>
    inList(event, { ...(matcher && { matcher }), command, timeout_ms: timeout * 1_000 }),
});

export const kiroInstall = agentInstall({
  agent: 'kiro',
  hooks: kiroHooks,
  ...KEPT,
  signs: { folders: ['~/.kiro'], programs: ['kiro-cli', 'kiro'] },
  file: { user: '~/.kiro/hooks/lanehold.json', project: '{root}/.kiro/hooks/lanehold.json' },
  others(scope, place, start) {
    // Files of a project's agents are committed, so lines with paths of this machine do not belong there.
    if (scope === 'project') return [];
    const folder = placed('~/.kiro/agents', place, KEPT);
    const names = (attempt(() => readdirSync(folder)) ?? []).filter((it) => it.endsWith('.json'));
    return names.map((it) =>
      inAgent.row(join(folder, it), start, `hooks of the agent ${basename(it, '.json')}`),
    );
  },
  skills: { user: '~/.kiro/skills', project: '{root}/.kiro/skills' },
  head: { version: 'v1' },
  eventKey: 'trigger',
  matchers: ({ shell, edit }) => ({
    'before-tool': whole(...shell, ...edit, '@.*'),
    'after-tool': whole(...edit),
  }),
  put: (trigger, { timeout, ...action }, matcher) => ({
    path: ['hooks'],
    element: {
      name: `lanehold ${trigger}`,
      trigger,
      ...(matcher && { matcher }),
      action,
      timeout,
    },
  }),
  afterwards: (scope) => [
    'without a terminal, start `kiro-cli chat --no-interactive --v3`: else only agents of your own have hooks',
    ...(scope === 'project' ? ['open the project in Kiro, and trust it'] : []),
  ],
  tried: (cwd) => [
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'execute_bash', tool_input: { command: 'git status' } },
      'session-start': {},
    },
  ],
  client: {
    program: 'kiro-cli',
    minimum: {
      version: '2.27.1',
      weakness: 'runs no hooks without a terminal',
      update: 'kiro-cli update',
    },
  },
});
