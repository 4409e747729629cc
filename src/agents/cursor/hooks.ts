/**
 * The payloads that Cursor sends to hooks, and the answers that it takes.
 *
 * It sends the same payloads to hooks of other clients, and takes a denial there in their form as well.
 * An action that a hook can refuse is blocked if the answer is no JSON, and with `failClosed`, which lanehold sets,
 * also if there is no answer.
 */
import { isAbsolute, resolve } from 'node:path';
import { isJsonObject, type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import { agentHooks, decided, jsonOutput, specific } from '../kit/hooks.ts';
import { edited, isPath, payloadReader, shell } from '../kit/payload.ts';
import type { ToolCall } from '../types.ts';

/** The only event before a tool at which a question reaches the person. */
export const BEFORE_SHELL = 'beforeShellExecution';
/** The prefix of the name of an MCP tool whose server is not named. */
const SERVER_TOOL = 'MCP:';

const at = payloadReader('Cursor', {
  shell: ['Shell'],
  // These tools write or remove one file. A call that names its file in an unknown way cannot be guarded.
  edit: ['Write', 'Delete'],
  path: ['file_path', 'path'],
  isInputOptional: true,
});

export const cursorHooks = agentHooks(at, {
  // Only these events are used: with many, a run without a terminal has lost its connection.
  events: {
    'before-tool': [BEFORE_SHELL, 'beforeMCPExecution', 'preToolUse'],
    'after-tool': 'afterFileEdit',
    'prompt-submit': 'beforeSubmitPrompt',
    'session-start': 'sessionStart',
    stop: 'stop',
  },
  capabilities: {
    ...USUAL,
    // Cursor asks its user about shell commands only; any other question becomes a denial below.
    asks: ['before-tool'],
    // The client does not wait for the text: its first request may be sent without it.
    takesContext: ['session-start'],
    failClosed: 'failClosed: true',
    cannotSee: [
      'what its cloud agents do where the hooks are not in the repository',
      'a command that the user types into a terminal of their own',
    ],
    knownFrom: 'documentation',
  },
  outputs: ['tool_output', 'result_json', 'output'],
  sends: ({ cursor_version: version }) => typeof version === 'string',
  answers: {
    silence(event) {
      // An empty answer is no opinion, and an explicit `allow` leaves the client's own questions as they are.
      if (event === 'before-tool') return jsonOutput({ permission: 'allow' });
      return jsonOutput(event === 'prompt-submit' ? { continue: true } : {});
    },
    told: (_event, text) => jsonOutput({ additional_context: text }),
    denied(_event, reason, payload) {
      // The hook may be in a file of another client, whose form of a denial is then the only sure one.
      const isShared = objectOr(payload)?.hook_event_name === 'preToolUse';
      const borrowed = isShared ? specific('PreToolUse', decided('deny', reason)) : {};
      return jsonOutput({ ...worded('deny', reason), ...borrowed });
    },
    asked: (_event, reason, payload) =>
      reachesPerson(objectOr(payload) ?? {}) ? jsonOutput(worded('ask', reason)) : undefined,
  },
  read(event, payload, _processCwd, env) {
    const session = at.text(payload, 'conversation_id') ?? '';
    const root = rootOf(payload, env);
    switch (event) {
      case 'before-tool':
        return { session, kind: event, ...toolMoment(payload, root) };
      case 'after-tool':
      case 'after-tool-failure': {
        const failed = event === 'after-tool-failure';
        return { session, kind: 'after-tool', failed, ...doneMoment(payload, root) };
      }
      default: {
        const cwd = event === 'session-end' ? (root ?? '/') : needed(root);
        const recorded = { session, cwd, ...at.transcript(payload) };
        if (event === 'stop') {
          const continued = typeof payload.loop_count === 'number' && payload.loop_count > 0;
          return { ...recorded, kind: event, continued };
        }
        const call = () => toolMoment(payload, root).call;
        return at.usual(event, payload, { moment: { session, cwd }, recorded, call });
      }
    }
  },
});

function worded(permission: 'deny' | 'ask', message: string): object {
  return { permission, user_message: message, agent_message: message };
}

/** True if a question reaches a person: the two ids are equal in a run without a person, and in a sub-agent. */
function reachesPerson(payload: JsonObject): boolean {
  const { hook_event_name: event, conversation_id: conversation, generation_id: turn } = payload;
  return event === BEFORE_SHELL && typeof turn === 'string' && turn !== conversation;
}

/** The root of the workspace. The folder of the process is that of the user's settings. */
function rootOf(
  { workspace_roots: roots }: JsonObject,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const [first] = Array.isArray(roots) ? roots : [];
  return [first, env.CURSOR_PROJECT_DIR].filter(isPath).find((it) => isAbsolute(it));
}

function needed(folder: string | undefined): string {
  if (folder === undefined) throw at.misread('it names no folder');
  return folder;
}

function toolMoment(payload: JsonObject, root: string | undefined) {
  const name = at.text(payload, 'tool_name');
  const input = name ? objectOr(payload.tool_input) : payload;
  if (!name || at.tools.shell.includes(name)) {
    const call = shell(at.command(input));
    const folders = name ? [input?.working_directory, input?.cwd, payload.cwd] : [payload.cwd];
    return { cwd: needed(folderOf(folders, root)), call };
  }
  const cwd = folderOf([payload.cwd], root) ?? '/';
  if (payload.hook_event_name === 'beforeMCPExecution' || name.startsWith(SERVER_TOOL)) {
    return { cwd, call: serverTool(name, payload) };
  }
  return { cwd, call: at.callOf(name, input, cwd) };
}

/** The first folder that is given; some arrive as empty texts. */
function folderOf(folders: readonly unknown[], root: string | undefined): string | undefined {
  const [folder] = folders.filter(isPath);
  if (folder === undefined) return root;
  if (isAbsolute(folder)) return resolve(folder);
  return root === undefined ? undefined : resolve(root, folder);
}

function serverTool(name: string, payload: JsonObject): ToolCall {
  const { tool_input: given } = payload;
  const input = typeof given === 'string' ? parsedObject(given.trim() || '{}') : (given ?? {});
  if (!isJsonObject(input)) throw at.misread('`tool_input` is no JSON object');
  return {
    tool: 'mcp',
    server: at.text(payload, 'mcp_server_name') ?? '',
    name: name.startsWith(SERVER_TOOL) ? name.slice(SERVER_TOOL.length) : name,
    input,
  };
}

/** The event after an action; an edit is reported without a tool. */
function doneMoment(payload: JsonObject, root: string | undefined) {
  const file = at.path(payload, 'file_path');
  if (file === undefined) return toolMoment(payload, root);
  const cwd = root ?? '/';
  return { cwd, call: edited(resolve(cwd, file)) };
}
