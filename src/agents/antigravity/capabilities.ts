/** What the client lets a hook do from version 1.1.28 on, and its own names of events and tools. */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

/** `PreInvocation` comes before each call of the model. */
export const EVENTS = {
  'prompt-submit': 'PreInvocation',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  stop: 'Stop',
} as const satisfies Partial<Record<EventName, string>>;

export const SHELL_TOOL = 'run_command';
export const SERVER_TOOL = 'call_mcp_tool';
export const EDIT_TOOLS: readonly string[] = [
  'write_to_file',
  'replace_file_content',
  'multi_replace_file_content',
];

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // No question: `ask` loses to what the user has allowed before, and to a flag; `force_ask` was never measured.
  takesContext: ['prompt-submit'],
  // No other input: it takes one together with a decision only, and nothing says which of them it survives.
  blocksAfter: ['crash', 'time-out'],
  cannotSee: ['that a turn was broken off by Esc or by its time limit', 'a compaction'],
  knownFrom: 'documentation',
};
