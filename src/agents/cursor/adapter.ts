/**
 * The payloads that Cursor sends to hooks, and the answers that it takes.
 *
 * It sends the same payloads to hooks of other clients, and takes a denial there in their form as well.
 * What it can refuse it blocks if the answer is no JSON, or, with our switch, if there is none.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { isAbsolute, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { isJsonObject, type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import { jsonOutput, renderer, specific } from '../kit/hook-output.ts';
import { isPath, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';
import { BEFORE_SHELL, CAPABILITIES, EDIT_TOOLS, SERVER_TOOL, SHELL_TOOL } from './capabilities.ts';

const at = payloadReader('Cursor');

export const cursorAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    silence(event) {
      // No answer is no opinion here: an explicit `allow` leaves the client's own questions as they are.
      if (event === 'before-tool') return jsonOutput({ permission: 'allow' });
      return jsonOutput(event === 'prompt-submit' ? { continue: true } : {});
    },
    told: (_event, text) => jsonOutput({ additional_context: text }),
    denied: (_event, reason, payload) =>
      jsonOutput({ ...worded('deny', reason), ...borrowed(reason, objectOr(payload)) }),
    asked: (_event, reason, payload) =>
      reachesPerson(objectOr(payload) ?? {}) ? jsonOutput(worded('ask', reason)) : undefined,
  }),
};

function worded(permission: 'deny' | 'ask', message: string): object {
  return { permission, user_message: message, agent_message: message };
}

/** The hook may stand in a file of another client, where only that one's form is sure to count. */
function borrowed(reason: string, payload: JsonObject | undefined): object {
  if (payload?.hook_event_name !== 'preToolUse') return {};
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason };
  return specific('PreToolUse', decision);
}

/** The two ids are the same in a run without a person, and in a sub-agent. */
function reachesPerson(payload: JsonObject): boolean {
  const { hook_event_name: event, conversation_id: conversation, generation_id: turn } = payload;
  return event === BEFORE_SHELL && typeof turn === 'string' && turn !== conversation;
}

function read(
  event: EventName,
  payload: JsonObject,
  _processCwd: string,
  env: Environment,
): HookEvent | undefined {
  const session = at.text(payload, 'conversation_id') ?? '';
  const recorded = { session, ...at.transcript(payload) };
  const root = rootOf(payload, env);

  switch (event) {
    case 'before-tool':
      return { session, kind: event, ...toolMoment(payload, root) };
    case 'after-tool':
    case 'after-tool-failure': {
      const failed = event === 'after-tool-failure';
      return { session, kind: 'after-tool', failed, ...doneMoment(payload, root) };
    }
    case 'stop': {
      const continued = typeof payload.loop_count === 'number' && payload.loop_count > 0;
      return { ...recorded, cwd: needed(root), kind: event, continued };
    }
    default: {
      const cwd = event === 'session-end' ? (root ?? '/') : needed(root);
      const known = { moment: { session, cwd }, recorded: { ...recorded, cwd } };
      return at.usual(event, payload, { ...known, call: () => toolMoment(payload, root).call });
    }
  }
}

/** Never the folder of the process, which is the one of the user's settings. */
function rootOf({ workspace_roots: roots }: JsonObject, env: Environment): string | undefined {
  const [first] = Array.isArray(roots) ? roots : [];
  return [first, env.CURSOR_PROJECT_DIR].filter(isPath).find((it) => isAbsolute(it));
}

function needed(folder: string | undefined): string {
  if (folder === undefined) throw at.misread('it names no folder');
  return folder;
}

interface Moment {
  readonly cwd: string;
  readonly call: ToolCall;
}

function toolMoment(payload: JsonObject, root: string | undefined): Moment {
  const name = at.text(payload, 'tool_name');
  if (!name) {
    return shellMoment(at.command(payload), [payload.cwd], root);
  }
  const input = isJsonObject(payload.tool_input) ? payload.tool_input : undefined;
  if (name === SHELL_TOOL) {
    const command = at.command(input);
    return shellMoment(command, [input?.working_directory, input?.cwd, payload.cwd], root);
  }
  const cwd = folderOf([payload.cwd], root) ?? '/';
  if (payload.hook_event_name === 'beforeMCPExecution' || name.startsWith(SERVER_TOOL)) {
    return { cwd, call: serverTool(name, payload) };
  }
  const path = EDIT_TOOLS.includes(name) ? (input?.file_path ?? input?.path) : undefined;
  // A tool that names no file in a way that is known is not one that can be guarded.
  if (!isPath(path)) return { cwd, call: { tool: 'other', name } };
  return { cwd, call: { tool: 'edit', paths: [resolve(cwd, path)] } };
}

function shellMoment(
  command: string,
  folders: readonly unknown[],
  root: string | undefined,
): Moment {
  const cwd = needed(folderOf(folders, root));
  return { cwd, call: { tool: 'shell', command, edited: [] } };
}

/** Folders arrive as empty texts, too. */
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

/** An edit is reported without a tool. */
function doneMoment(payload: JsonObject, root: string | undefined): Moment {
  const file = at.path(payload, 'file_path');
  if (file === undefined) return toolMoment(payload, root);
  const cwd = root ?? '/';
  return { cwd, call: { tool: 'edit', paths: [resolve(cwd, file)] } };
}
