/**
 * What the client lets a hook do from version 1.0.40 on, and its own names: of events in settings and
 * payloads, of tools.
 */
import type { Capabilities } from '../definition.ts';
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
  denies: ['before-tool'],
  // Documented; what becomes of a question in a run without a person is not.
  asks: [],
  takesContext: ['before-tool', 'after-tool', 'after-tool-failure'],
  // Before 1.0.40 it is ignored, and another hook's input can take its place: the command would run as
  // it was.
  rewritesInput: [],
  subAgents: 'held',
  cannotSee: ['a command that the user types into a terminal of their own'],
  knownFrom: 'documentation',
};
