/** What the client lets a hook do, and its own names of events and tools. */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

/** Its names in settings. In payloads some versions begin them with a small letter. */
export const TRIGGERS = {
  'session-start': ['SessionStart', 'PostCompact'],
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'before-compact': 'PreCompact',
  'task-created': 'PreTaskExec',
  'task-completed': 'PostTaskExec',
  stop: 'Stop',
  'session-end': 'SessionEnd',
} as const satisfies Partial<Record<EventName, string | readonly string[]>>;

/** Their names in the file of an agent. Without a matcher they are asked about every tool. */
export const AGENT_EVENTS = {
  'session-start': 'agentSpawn',
  'prompt-submit': 'userPromptSubmit',
  'before-tool': 'preToolUse',
  'after-tool': 'postToolUse',
  stop: 'stop',
} as const satisfies Partial<Record<EventName, string>>;

/** The short names are aliases. */
export const SHELL_TOOLS: readonly string[] = ['execute_bash', 'shell'];
export const EDIT_TOOLS: readonly string[] = ['fs_write', 'fs_append', 'str_replace', 'write'];

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  asks: ['before-tool'],
  takesContext: ['session-start', 'prompt-submit'],
  subAgents: 'not held',
  cannotSee: [
    'a tool call that is repeated at once after a refusal',
    'sessions of `kiro-cli --v2`, which those without a terminal are unless they say `--v3`, of an agent that has no file in `~/.kiro/agents`, or got it later than the hooks',
  ],
  knownFrom: 'documentation',
};
