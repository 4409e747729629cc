/** What the client lets a hook do, and its own names: of events in settings, of tools in payloads. */
import type { Environment } from '../../base/environment.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { type Capabilities, USUAL } from '../definition.ts';
import type { EventName } from '../types.ts';

/** Payloads of this spelling have no word for their event, and name tools as the client itself does. */
export const EVENTS = {
  'session-start': 'sessionStart',
  'prompt-submit': 'userPromptSubmitted',
  'before-tool': 'preToolUse',
  'after-tool': 'postToolUse',
  'after-tool-failure': 'postToolUseFailure',
  stop: 'agentStop',
  'before-compact': 'preCompact',
  'session-end': 'sessionEnd',
} as const satisfies Partial<Record<EventName, string>>;

export const FOLDER = { name: 'COPILOT_HOME', folder: '.copilot' };

/** The second name of each is used where a settings file of another agent made the client call. */
export const SHELL_TOOLS: readonly string[] = ['bash', 'powershell', 'Bash', 'PowerShell'];
/** They write one file, `path`. */
export const EDIT_TOOLS: readonly string[] = ['edit', 'create', 'Edit', 'Write'];
/** Its input is the text of a patch, and no object. */
export const PATCH_TOOL = 'apply_patch';
/** The model keeps its list of tasks in a table of a database. */
export const TASK_TOOL = 'sql';

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // A question is a refusal where no person is there.
  asks: ['before-tool'],
  takesContext: [
    'session-start',
    'prompt-submit',
    'before-tool',
    'after-tool',
    'after-tool-failure',
  ],
  rewritesInput: ['before-tool'],
  // The client ends no command: after a while it goes on in the background.
  shellTime: { defaultMs: 1_800_000 },
  blocksAfter: ['crash'],
  cannotSee: ['a command that the user types after `!`', 'input for a command that is running'],
  knownFrom: 'real client',
};

/**
 * True for what this client alone sends, also to the hooks of another agent's settings file: without the
 * fields that the other would send, and with the variable that the client sets.
 */
export function isFromCopilot(payload: JsonObject, env: Environment): boolean {
  if (typeof payload.sessionId === 'string') {
    return typeof payload.timestamp === 'number' && payload.hookEventName === undefined;
  }
  return (
    env.COPILOT_CLI === '1' &&
    typeof payload.hook_event_name === 'string' &&
    typeof payload.timestamp === 'string' &&
    payload.permission_mode === undefined &&
    payload.tool_use_id === undefined
  );
}
