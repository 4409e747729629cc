/** What the client lets a hook do, and its own names of events and tools. */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

export const EVENTS: Readonly<Partial<Record<EventName, string>>> = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'before-compact': 'PreCompact',
  stop: 'Stop',
};

/** Others are known by a command in their input. */
export const SHELL_TOOLS: readonly string[] = [
  'run_in_terminal',
  'runInTerminal',
  'runTerminalCommand',
];
/** Not by a path in their input, which tools that read have as well. */
export const EDIT_TOOLS: readonly string[] = [
  'create_file',
  'editFiles',
  'edit_notebook_file',
  'insert_edit_into_file',
  'multi_replace_string_in_file',
  'replace_string_in_file',
];
export const PATCH_TOOL = 'apply_patch';

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  asks: ['before-tool'],
  takesContext: ['session-start', 'before-tool', 'after-tool'],
  // No other input: one that does not fit the tool is ignored, and the command would run as it was.
  cannotSee: [
    'sessions of its cloud agent where the hooks are not in the repository',
    'the end of a session',
    'a command that the user types into a terminal of their own',
  ],
  knownFrom: 'documentation',
};
