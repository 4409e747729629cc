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
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { jsonOutput, renderer, specific } from '../kit/hook-output.ts';
import { isPath, payloadReader, serverTool } from '../kit/payload.ts';
import { wholeList } from '../kit/tasks.ts';
import type { AgentAdapter, EventName, HookEvent, TaskChange, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, EVENTS, SHELL_TOOL, TASK_TOOL } from './capabilities.ts';

const at = payloadReader('Gemini CLI');

export const geminiCliAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (event, text) => jsonOutput(specific(NAMES[event], { additionalContext: text })),
    denied: (_event, reason) => jsonOutput({ decision: 'deny', reason }),
    // The model is told that its input was changed; a person is told why, and the command itself says it.
    rewritten: (event, input, text) =>
      jsonOutput({ systemMessage: text, ...specific(NAMES[event], { tool_input: input }) }),
  }),
};

const NAMES: Readonly<Partial<Record<EventName, string>>> = EVENTS;

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  const { cwd, moment, recorded } = at.origin(payload, processCwd);
  if (event === 'before-compact' && payload.trigger !== 'manual') return undefined;
  if (event === 'prompt-submit') {
    return { ...moment, kind: event, prompt: spoken(at.text(payload, 'prompt')) };
  }
  if (event === 'after-tool' && payload.tool_name === TASK_TOOL) {
    const change = taskChange(payload);
    return change && { ...moment, kind: 'tasks', change };
  }
  return at.usual(event, payload, {
    moment: event === 'before-tool' ? { ...moment, cwd: folderOf(payload, cwd) } : moment,
    recorded,
    call: () => toolCall(payload, cwd),
    failed: isJsonObject(responseOf(payload).error),
    said: 'prompt_response',
  });
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
  const name = at.name(payload, 'tool_name');
  const isEdit = EDIT_TOOLS.includes(name);
  if (!isEdit && name !== SHELL_TOOL) return otherTool(name, payload);
  const input = at.object(payload.tool_input, 'tool_input');
  if (isEdit) {
    // The model often writes a relative path; afterwards the client says where the file was.
    const path = writtenPath(payload) ?? at.file(input, 'file_path');
    return { tool: 'edit', paths: [resolve(cwd, path)] };
  }
  const command = at.command(input);
  // All arguments are replaced, so that each has to be there again.
  const rewritten = (other: string) => ({ ...input, command: other });
  return { tool: 'shell', command, edited: [], rewritten };
}

function writtenPath(payload: JsonObject): string | undefined {
  const path = objectOr(responseOf(payload).returnDisplay)?.filePath;
  return isPath(path) ? path : undefined;
}

const responseOf = ({ tool_response: response }: JsonObject): JsonObject =>
  objectOr(response) ?? {};

/** `mcp_server_tool`; which part is the server's name is said beside it. */
function otherTool(
  name: string,
  { tool_input: input, mcp_context: context }: JsonObject,
): ToolCall {
  const call = serverTool(name, /^mcp_(.+?)_(.+)$/s, input);
  const known = objectOr(context) ?? {};
  const [server, tool] = ['server_name', 'tool_name'].map((it) => at.text(known, it));
  if (call.tool === 'mcp')
    return { ...call, server: server ?? call.server, name: tool ?? call.name };
  if (server === undefined || tool === undefined) return call;
  return { tool: 'mcp', server, name: tool, input: objectOr(input) ?? {} };
}

/** A list that the client does not accept changes nothing. */
function taskChange(payload: JsonObject): TaskChange | undefined {
  if (responseOf(payload).error) return undefined;
  return wholeList(objectOr(payload.tool_input)?.todos, 'description');
}
