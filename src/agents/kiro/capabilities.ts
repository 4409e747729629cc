/** What the client lets a hook do, and its own names of events and tools. */
import type { Capabilities } from '../definition.ts';
import type { EventName } from '../types.ts';

/** Its names in settings. In payloads some versions begin them with a small letter. */
export const TRIGGERS: readonly (readonly [string, EventName])[] = [
  ['SessionStart', 'session-start'],
  ['UserPromptSubmit', 'prompt-submit'],
  ['PreToolUse', 'before-tool'],
  ['PostToolUse', 'after-tool'],
  ['PreCompact', 'before-compact'],
  ['PostCompact', 'session-start'],
  ['PreTaskExec', 'task-created'],
  ['PostTaskExec', 'task-completed'],
  ['Stop', 'stop'],
  ['SessionEnd', 'session-end'],
];

/** Their names in the file of an agent. Without a matcher they are asked about every tool. */
export const AGENT_EVENTS: readonly (readonly [string, EventName])[] = [
  ['agentSpawn', 'session-start'],
  ['userPromptSubmit', 'prompt-submit'],
  ['preToolUse', 'before-tool'],
  ['postToolUse', 'after-tool'],
  ['stop', 'stop'],
];

/** The short names are aliases. */
export const SHELL_TOOLS: readonly string[] = ['execute_bash', 'shell'];
export const EDIT_TOOLS: readonly string[] = ['fs_write', 'fs_append', 'str_replace', 'write'];

export const CAPABILITIES: Capabilities = {
  denies: ['before-tool'],
  asks: ['before-tool'],
  takesContext: ['session-start', 'prompt-submit'],
  rewritesInput: [],
  subAgents: 'not held',
  cannotSee: [
    'a tool call that is repeated at once after a refusal',
    'sessions of `kiro-cli --v2`, which those without a terminal are unless they say `--v3`, of an agent that has no file in `~/.kiro/agents`, or got it later than the hooks',
  ],
  knownFrom: 'documentation',
};
