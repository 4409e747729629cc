/**
 * The payloads that Gemini CLI sends to hooks, and the answers that it takes.
 *
 * JSON on stdout decides, whatever the exit code; any other text would be shown, or refuse a tool.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 *
 * @see https://github.com/google-gemini/gemini-cli/blob/main/docs/hooks/reference.md
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { clippedText, jsonOutput, questionAsDenial, SILENT } from '../kit/hook-output.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type {
  AgentAdapter,
  EventName,
  HookEvent,
  HookOutput,
  TaskChange,
  TaskStatus,
  ToolCall,
} from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, EVENTS, SHELL_TOOL, TASK_TOOL } from './capabilities.ts';

/** In UTF-16 units: as much as other agents take. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('Gemini CLI');

export const geminiCliAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    if (reply.decision === 'none') return withContext(event, reply.context);
    if (reply.decision === 'rewrite') return withInput(reply.input, reply.context);
    const reason = reply.decision === 'ask' ? questionAsDenial(reply.reason) : reply.reason;
    if (!CAPABILITIES.denies.includes(event)) return withContext(event, reason);
    return jsonOutput({ decision: 'deny', reason: shortened(reason) });
  },
};

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = resolve(processCwd, at.path(payload, 'cwd') ?? '.');
  const moment = { session: at.text(payload, 'session_id') ?? '', cwd };
  const { transcript_path: path } = payload;
  const recorded = { ...moment, ...(isPath(path) ? { transcript: resolve(path) } : {}) };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: sessionSource(payload.source) };
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: spoken(at.text(payload, 'prompt')) };
    case 'before-tool':
      return { ...moment, cwd: folderOf(payload, cwd), kind: event, call: toolCall(payload, cwd) };
    case 'after-tool': {
      if (payload.tool_name === TASK_TOOL) return taskEvent(payload, moment);
      const failed = isJsonObject(responseOf(payload).error);
      return { ...moment, kind: event, call: toolCall(payload, cwd), failed };
    }
    case 'stop':
      return {
        ...{ ...recorded, kind: event, continued: payload.stop_hook_active === true },
        said: at.text(payload, 'prompt_response'),
      };
    case 'before-compact':
      return payload.trigger === 'manual' ? { ...moment, kind: event } : undefined;
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    default:
      return undefined;
  }
}

function sessionSource(source: unknown): 'new' | 'resumed' | 'cleared' {
  if (source === 'resume') return 'resumed';
  return source === 'clear' ? 'cleared' : 'new';
}

/** The first prompt of a headless run stands behind what hooks said when the session started. */
const spoken = (prompt: string | undefined): string | undefined =>
  prompt?.replace(/^(?:<hook_context>[\s\S]*?<\/hook_context>\s*)+/, '');

/** The folder that a shell command runs in. */
function folderOf({ tool_input: input }: JsonObject, cwd: string): string {
  if (!isJsonObject(input)) return cwd;
  return resolve(cwd, at.text(input, 'dir_path') || '.');
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.text(payload, 'tool_name');
  if (!name) throw at.misread('`tool_name` is missing');
  const isEdit = EDIT_TOOLS.includes(name);
  if (!isEdit && name !== SHELL_TOOL) return serverTool(name, payload) ?? { tool: 'other', name };

  const input = payload.tool_input;
  if (!isJsonObject(input)) throw at.misread('`tool_input` is no JSON object');
  if (isEdit) {
    // As the model wrote it, often relative; afterwards the client says where it was.
    const path = writtenPath(payload) ?? at.path(input, 'file_path');
    if (path === undefined) throw at.misread('`file_path` is missing');
    return { tool: 'edit', paths: [resolve(cwd, path)] };
  }
  const command = at.text(input, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  // All arguments are replaced, so that each has to be there again.
  const rewritten = (other: string) => ({ ...input, command: other });
  return { tool: 'shell', command, edited: [], rewritten };
}

function writtenPath(payload: JsonObject): string | undefined {
  const display = responseOf(payload).returnDisplay;
  const path = isJsonObject(display) ? display.filePath : undefined;
  return isPath(path) ? path : undefined;
}

function responseOf({ tool_response: response }: JsonObject): JsonObject {
  return isJsonObject(response) ? response : {};
}

/** `mcp_server_tool`; which part is the server's name is said beside it. */
function serverTool(name: string, payload: JsonObject): ToolCall | undefined {
  const context = isJsonObject(payload.mcp_context) ? payload.mcp_context : {};
  const [, first, rest] = /^mcp_(.+?)_(.+)$/s.exec(name) ?? [];
  const server = at.text(context, 'server_name') ?? first;
  const tool = at.text(context, 'tool_name') ?? rest;
  if (server === undefined || tool === undefined) return undefined;
  const { tool_input: input } = payload;
  return { tool: 'mcp', server, name: tool, input: isJsonObject(input) ? input : {} };
}

// What cannot be read as a task is ignored: an incomplete list is better than a hook that fails.

function taskEvent(
  payload: JsonObject,
  moment: { readonly session: string; readonly cwd: string },
): HookEvent | undefined {
  const { tool_input: input } = payload;
  // A list that the client does not accept changes nothing.
  if (responseOf(payload).error || !isJsonObject(input) || !Array.isArray(input.todos)) {
    return undefined;
  }
  const change: TaskChange = { of: 'all', tasks: input.todos.flatMap(todoOf) };
  return { ...moment, kind: 'tasks', change };
}

function todoOf(todo: unknown): { title: string; status: TaskStatus }[] {
  if (!isJsonObject(todo) || typeof todo.description !== 'string') return [];
  return [{ title: todo.description, status: statusOf(todo.status) }];
}

function statusOf(status: unknown): TaskStatus {
  if (status === 'cancelled') return 'dropped';
  return status === 'in_progress' || status === 'completed' ? status : 'pending';
}

/** The model is told that its input was changed; a person is told why, and the command itself says it. */
function withInput(input: object, context: string): HookOutput {
  const hookSpecificOutput = { hookEventName: EVENTS['before-tool'], tool_input: input };
  return jsonOutput({ systemMessage: shortened(context), hookSpecificOutput });
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
  const hookEventName = (EVENTS as Partial<Record<EventName, string>>)[event];
  return jsonOutput({
    hookSpecificOutput: { hookEventName, additionalContext: shortened(context) },
  });
}
