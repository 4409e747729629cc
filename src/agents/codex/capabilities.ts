/**
 * What the client lets a hook do, and its own names: of events in settings and answers, of tools in
 * payloads and matchers. Seen with codex-cli 0.169.0.
 */
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

export const EVENTS: Readonly<Partial<Record<EventName, string>>> = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  stop: 'Stop',
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
};

export const FOLDER = { name: 'CODEX_HOME', folder: '.codex' };

export const SHELL_TOOL = 'Bash';
/** `tool_input.command` is the patch. */
export const PATCH_TOOL = 'apply_patch';

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // No question: the answer `ask` lets the command run.
  takesContext: ['session-start', 'prompt-submit', 'before-tool', 'after-tool'],
  // No other input: it needs the answer `allow`, and it is not known whether that skips the client's own question.
  loginShell: true,
  cannotSee: [
    'what is typed into a command that is running (`--disable unified_exec_tty` closes that)',
    'anything until a person has trusted the hooks',
    'a linked worktree without a folder `.codex`, if the hooks are installed for the project only',
  ],
  knownFrom: 'real client',
};
