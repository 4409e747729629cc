/**
 * The payloads that Copilot CLI sends to hooks, and the answers that it takes.
 *
 * The spelling of an event in an entry decides the payload: `preToolUse` brings `toolName` and `toolArgs`, `PreToolUse`
 * brings `tool_name` and `tool_input`, with the names of another agent for its tools. So does the settings file of that
 * agent, which the client runs as well. Answers without a wrapper count in both.
 *
 * @see https://docs.github.com/en/copilot/reference/hooks-reference
 */
import { type JsonObject, objectOr, parsedJson } from '../../base/text/json.ts';
import { USUAL, WHEREVER_IT_ACTS } from '../definition.ts';
import { agentHooks, decided, jsonOutput } from '../kit/hooks.ts';
import { payloadReader } from '../kit/payload.ts';
import { taskChange } from './task-table.ts';

export const FOLDER = { name: 'COPILOT_HOME', folder: '.copilot' };

const TOOLS = {
  // The second names are used if a settings file of another agent made the client call.
  shell: ['bash', 'powershell', 'Bash', 'PowerShell'],
  rewritable: ['bash', 'powershell', 'Bash', 'PowerShell'],
  edit: ['edit', 'create', 'Edit', 'Write'],
  path: ['path', 'file_path'],
  patch: ['apply_patch'],
  // `server/tool`, or `server-tool`: servers have dashes in their names, and most tools have underscores.
  server: [/^([^/]+)\/(.+)$/s, /^(.+)-([^-]*_[^-]*)$/s, /^([^-]+)-(.+)$/s],
  // The model keeps its list of tasks in a table of a database.
  tasks: ['sql'],
};

const at = payloadReader('Copilot CLI', TOOLS, 'both');

export const copilotCliHooks = agentHooks(at, {
  // Payloads of this spelling do not name their event, and use the client's own names of tools.
  events: {
    'session-start': 'sessionStart',
    'prompt-submit': 'userPromptSubmitted',
    'before-tool': 'preToolUse',
    'after-tool': 'postToolUse',
    'after-tool-failure': 'postToolUseFailure',
    stop: 'agentStop',
    'before-compact': 'preCompact',
    'session-end': 'sessionEnd',
  },
  capabilities: {
    ...USUAL,
    // The client refuses a question if no person can answer it.
    asks: ['before-tool'],
    takesContext: WHEREVER_IT_ACTS,
    rewritesInput: ['before-tool'],
    // The client ends no command: after this time the command goes on in the background.
    shellTime: { defaultMs: 1_800_000 },
    blocksAfter: ['crash'],
    cannotSee: ['a command that the user types after `!`', 'input for a command that is running'],
    knownFrom: 'real client',
  },
  outputs: ['tool_result', 'toolResult'],
  // The client also runs hooks of another agent's settings file, with payloads of that agent's shape. These
  // payloads lack some of that agent's fields, and only this client sets `COPILOT_CLI`.
  sends: (payload, env) =>
    typeof payload.sessionId === 'string'
      ? typeof payload.timestamp === 'number' && payload.hookEventName === undefined
      : env.COPILOT_CLI === '1' &&
        typeof payload.hook_event_name === 'string' &&
        typeof payload.timestamp === 'string' &&
        payload.permission_mode === undefined &&
        payload.tool_use_id === undefined,
  answers: {
    told: (_event, text) => jsonOutput({ additionalContext: text }),
    // The denial is given twice: the exit code refuses even if the JSON is lost, and without the
    // JSON the model would not see the reason.
    denied: (_event, reason) => jsonOutput(decided('deny', reason), 2),
    asked: (_event, reason) => jsonOutput(decided('ask', reason)),
    rewritten: (_event, input, text) =>
      jsonOutput({ modifiedArgs: input, additionalContext: text }),
  },
  read(event, payload, processCwd) {
    const { moment, recorded, cwd } = at.origin(payload, processCwd);
    const call = () => at.callOf(at.name(payload, 'tool_name'), inputOf(payload), cwd);
    if (event === 'after-tool' && TOOLS.tasks.includes(at.text(payload, 'tool_name') ?? '')) {
      const change = taskChange(at.text(objectOr(inputOf(payload)) ?? {}, 'query') ?? '');
      return change && { ...moment, kind: 'tasks', change };
    }
    return at.usual(event, payload, { moment, recorded, call });
  },
});

/** The input of a tool; some versions send it as the text of a JSON object. */
function inputOf(payload: JsonObject): unknown {
  const input = payload.toolArgs ?? payload.tool_input;
  return typeof input === 'string' ? (parsedJson(input) ?? input) : input;
}
