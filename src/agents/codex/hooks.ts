/**
 * The payloads that Codex sends to hooks, and the answers that it takes. It checks answers against closed
 * schemas: one key too many, or a line before the JSON, and the command runs. Seen with codex-cli 0.169.0.
 *
 * @see https://learn.chatgpt.com/docs/hooks
 */
import { USUAL } from '../definition.ts';
import { agentHooks, refusedOnStderr, specificAnswers } from '../kit/hooks.ts';
import { MCP_TOOL, payloadReader } from '../kit/payload.ts';
import type { EventName } from '../types.ts';

export const FOLDER = { name: 'CODEX_HOME', folder: '.codex' };

const at = payloadReader('Codex', {
  shell: ['Bash'],
  edit: [],
  patch: ['apply_patch'],
  server: MCP_TOOL,
});

const EVENTS = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  stop: 'Stop',
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
};

/** The folder in which background sessions of the client write its own memories; they run the hooks as well. */
const MEMORIES = /\/\.codex\/memories$/;
/** Events of tools. The model of any session can choose the folder of a command, and that must not lift a hold. */
const OF_TOOLS: readonly EventName[] = ['before-tool', 'after-tool'];

export const codexHooks = agentHooks(at, {
  events: EVENTS,
  capabilities: {
    ...USUAL,
    // It has no question: the answer `ask` lets the command run.
    takesContext: ['session-start', 'prompt-submit', 'before-tool', 'after-tool'],
    // Its input is not replaced: that needs the answer `allow`, which may skip the client's own question.
    loginShell: true,
    cannotSee: [
      'what is typed into a command that is running (`--disable unified_exec_tty` closes that)',
      'anything until a person has trusted the hooks',
      'a linked worktree without a folder `.codex`, if the hooks are installed for the project only',
    ],
    knownFrom: 'real client',
  },
  answers: {
    told: specificAnswers(EVENTS).told,
    // The exit code denies even if stdout is lost; without a reason on stderr the command would run.
    denied: (_event, reason) => refusedOnStderr(reason),
  },
  // The client shows its model only the beginning and the end of a text of more than 2,500 tokens.
  maxUnits: 8_000,
  read(event, payload, processCwd) {
    // The process runs where the session began, and a command where the model wants it.
    const known = at.origin(payload, processCwd);
    if (!OF_TOOLS.includes(event) && MEMORIES.test(known.cwd)) return undefined;
    const moment = known.recorded;
    return at.usual(event, payload, { ...known, moment, said: 'last_assistant_message' });
  },
});
