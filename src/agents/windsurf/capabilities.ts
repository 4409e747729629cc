/**
 * What the client lets a hook do. It has two agents: Cascade, and Devin Local, which has hook files and
 * payloads of its own.
 */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

/** Names of Cascade. */
export const CASCADE_EVENTS = {
  'before-tool': ['pre_run_command', 'pre_write_code', 'pre_mcp_tool_use'],
  'after-tool': 'post_write_code',
  'prompt-submit': 'pre_user_prompt',
  stop: 'post_cascade_response',
} as const satisfies Partial<Record<EventName, string | readonly string[]>>;

/** Names of Devin Local, in settings and answers. */
export const LOCAL_EVENTS: Readonly<Partial<Record<EventName, string>>> = {
  'session-start': 'SessionStart',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'prompt-submit': 'UserPromptSubmit',
  stop: 'Stop',
  'session-end': 'SessionEnd',
};

/** Tools of Devin Local. */
export const SHELL_TOOL = 'exec';
export const EDIT_TOOLS: readonly string[] = ['edit', 'write'];

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // Only Devin Local takes it: Cascade has no such moment, and takes text at none.
  takesContext: ['session-start'],
  subAgents: 'none',
  cannotSee: [
    'the start and the end of a session of Cascade',
    'a command that the user types into a terminal of their own',
  ],
  knownFrom: 'documentation',
};
