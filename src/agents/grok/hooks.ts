/**
 * The payloads that Grok Build sends to hooks from version 1.0.40 on, and the answers that it takes.
 *
 * Its names are in camelCase; newer versions add most of them in snake_case, as another client writes
 * them, whose hook files it runs as well.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import { USUAL } from '../definition.ts';
import { decided, specificAnswers } from '../kit/hook-output.ts';
import { agentHooks } from '../kit/hooks.ts';
import { payloadReader } from '../kit/payload.ts';

export const FOLDER = { name: 'GROK_HOME', folder: '.grok' };

const TOOLS = {
  // `bash` under its profile for tools of another client.
  shell: ['run_terminal_command', 'run_terminal_cmd', 'bash'],
  timeLimit: 'timeout',
  edit: ['search_replace', 'write'],
  server: [/^(.+?)__(.+)$/s],
};

const at = payloadReader('Grok Build', TOOLS, 'both');

const EVENTS = {
  'session-start': 'SessionStart',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'after-tool-failure': 'PostToolUseFailure',
  // A turn that fails or is broken off sends another in place of `Stop`.
  stop: ['Stop', 'StopFailure', 'StopCancelled'],
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
};

const { answer, told } = specificAnswers(EVENTS);

export const grokHooks = agentHooks(at, {
  events: EVENTS,
  capabilities: {
    ...USUAL,
    // No question: it is not documented what becomes of one in a run without a person.
    takesContext: ['before-tool', 'after-tool', 'after-tool-failure'],
    // No other input: before 1.0.40 it is ignored, and another hook's can take its place, so that the command runs as
    // it was.
    cannotSee: ['a command that the user types into a terminal of their own'],
    knownFrom: 'documentation',
  },
  outputs: ['tool_response', 'toolResult'],
  sends: ({ hookEventName, workspaceRoot }, env) =>
    env.GROK_HOOK_EVENT !== undefined ||
    (typeof hookEventName === 'string' && typeof workspaceRoot === 'string'),
  answers: {
    told,
    // Said in three ways. Versions before 1.0.40 read the outer words only, and later ones prefer the inner; the
    // exit code denies even if the JSON is lost, and then the reason is what is on stderr.
    denied: (event, reason) => ({
      ...answer(event, decided('deny', reason), { decision: 'deny', reason }),
      stderr: reason,
      exitCode: 2,
    }),
  },
  read(event, payload, processCwd) {
    const root = resolve(processCwd, at.path(payload, 'workspace_root') ?? '.');
    const known = at.origin(payload, root);
    return at.usual(event, payload, {
      ...known,
      call() {
        const call = known.call();
        const isCut = call.tool === 'shell' && payload.toolInputTruncated === true;
        if (isCut) throw at.misread('the command is cut short');
        return call;
      },
    });
  },
});
