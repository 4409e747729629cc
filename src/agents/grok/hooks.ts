/**
 * The payloads that Grok Build sends to hooks from version 1.0.40 on, and the answers that it takes.
 *
 * Its fields are in camelCase. Newer versions add most of them in snake_case, as another client does whose hook files
 * it also runs.
 */
import { resolve } from 'node:path';
import { USUAL } from '../definition.ts';
import { agentHooks, decided, specificAnswers } from '../kit/hooks.ts';
import { payloadReader } from '../kit/payload.ts';

export const FOLDER = { name: 'GROK_HOME', folder: '.grok' };

const TOOLS = {
  // The name `bash` is used in its profile for tools of another client.
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
  // A turn that fails or is cancelled sends another event in place of `Stop`.
  stop: ['Stop', 'StopFailure', 'StopCancelled'],
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
};

const { answer, told } = specificAnswers(EVENTS);

export const grokHooks = agentHooks(at, {
  events: EVENTS,
  capabilities: {
    ...USUAL,
    // It has no question: the documentation does not say what happens to one in a run without a person.
    takesContext: ['before-tool', 'after-tool', 'after-tool-failure'],
    // Its input is not replaced: before 1.0.40 a new input is ignored, and another hook's can
    // replace it, so that the command would run as it was.
    cannotSee: ['a command that the user types into a terminal of their own'],
    knownFrom: 'documentation',
  },
  outputs: ['tool_response', 'toolResult'],
  sends: ({ hookEventName, workspaceRoot }, env) =>
    env.GROK_HOOK_EVENT !== undefined ||
    (typeof hookEventName === 'string' && typeof workspaceRoot === 'string'),
  answers: {
    told,
    // The denial is given in three ways. Versions before 1.0.40 read only the outer fields, and later ones prefer the
    // inner; the exit code denies even if the JSON is lost, and then the reason is stderr.
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
