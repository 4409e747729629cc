/** What the client lets a hook do, and its own names: of events in settings, of tools in payloads. */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

export const EVENTS = {
  'session-start': 'SessionStart',
  'prompt-submit': 'BeforeAgent',
  'before-tool': 'BeforeTool',
  'after-tool': 'AfterTool',
  stop: 'AfterAgent',
  'before-compact': 'PreCompress',
  'session-end': 'SessionEnd',
} as const satisfies Partial<Record<EventName, string>>;

export const SHELL_TOOL = 'run_shell_command';
export const EDIT_TOOLS: readonly string[] = ['write_file', 'replace'];
/** Writes the whole list of tasks. */
export const TASK_TOOL = 'write_todos';

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // No hook of Gemini CLI asks the user: a run without a person would wait for the answer for ever.
  takesContext: ['session-start', 'prompt-submit', 'after-tool'],
  rewritesInput: ['before-tool'],
  // A command may be silent for so long; the setting that says otherwise is no variable.
  shellTime: { defaultMs: 300_000 },
  cannotSee: [
    'a command that the user types after `!`',
    'a session with `--extensions` that names others',
  ],
  knownFrom: 'real client',
};
