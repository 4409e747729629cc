/**
 * What the client lets a hook do, and its own names: of events in settings and answers, of tools in
 * payloads and matchers.
 */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

export const EVENTS: Readonly<Record<EventName, string>> = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'after-tool-failure': 'PostToolUseFailure',
  stop: 'Stop',
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
  'task-created': 'TaskCreated',
  'task-completed': 'TaskCompleted',
};

export const FOLDER = { name: 'CLAUDE_CONFIG_DIR', folder: '.claude' };

/** Tools that run a command line in a shell, each with the line in `tool_input.command`. */
export const SHELL_TOOLS: readonly string[] = ['Bash', 'Monitor', 'PowerShell'];

/** Tools that write one file, with the field of `tool_input` that names it. */
export const PATH_FIELDS: ReadonlyMap<string, string> = new Map([
  ['Edit', 'file_path'],
  ['Write', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);
export const EDIT_TOOLS: readonly string[] = [...PATH_FIELDS.keys()];

/** Tools that change the task list. `TodoWrite` writes all of it, the others one task each. */
export const TASK_TOOLS: readonly string[] = ['TaskCreate', 'TaskUpdate', 'TodoWrite'];

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  asks: ['before-tool'],
  // The client takes it at `stop` as well, and would make the agent go on.
  takesContext: [
    'session-start',
    'prompt-submit',
    'before-tool',
    'after-tool',
    'after-tool-failure',
  ],
  rewritesInput: ['before-tool'],
  shellTime: { defaultMs: 120_000, variable: 'BASH_DEFAULT_TIMEOUT_MS' },
  failClosed: 'onFailure: block',
  cannotSee: ['a command that the user types after `!`'],
  knownFrom: 'real client',
};
