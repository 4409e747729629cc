/**
 * What the client lets a hook do from version 1.0.40 on, and its own names: of events in settings and
 * payloads, of tools.
 */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

/** The first version that shows a hook's context to the model. */
export const OLDEST_CLIENT = '1.0.40';

/** Its names of our events. A turn that fails or is broken off sends another in place of `Stop`. */
export const EVENTS: Readonly<Partial<Record<EventName, readonly [string, ...string[]]>>> = {
  'session-start': ['SessionStart'],
  'before-tool': ['PreToolUse'],
  'after-tool': ['PostToolUse'],
  'after-tool-failure': ['PostToolUseFailure'],
  stop: ['Stop', 'StopFailure', 'StopCancelled'],
  'before-compact': ['PreCompact'],
  'session-end': ['SessionEnd'],
};

export const FOLDER = { name: 'GROK_HOME', folder: '.grok' };

/** `bash` under its profile for tools of another client. */
export const SHELL_TOOLS: readonly string[] = ['run_terminal_command', 'run_terminal_cmd', 'bash'];
export const EDIT_TOOLS: readonly string[] = ['search_replace', 'write'];

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // No question: it is not documented what becomes of one in a run without a person.
  takesContext: ['before-tool', 'after-tool', 'after-tool-failure'],
  // No other input: before 1.0.40 it is ignored, and another hook's can take its place, so that the command runs as it
  // was.
  cannotSee: ['a command that the user types into a terminal of their own'],
  knownFrom: 'documentation',
};
