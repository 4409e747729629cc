/**
 * The payloads that Kiro sends to hooks, and the answers that it takes: a denial is an exit code with its
 * reason on stderr, text for the model is plain text, and only a question is JSON.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { jsonOutput, refusedOnStderr, renderer, SILENT, specific } from '../kit/hook-output.ts';
import { isPath, payloadReader, serverTool } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, TaskChange, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, SHELL_TOOLS } from './capabilities.ts';

const at = payloadReader('Kiro');

export const kiroAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (_event, text) => ({ ...SILENT, stdout: text }),
    // `deny` in JSON is ignored.
    denied: (_event, reason) => refusedOnStderr(reason),
    // A run without a person names no session.
    asked: (_event, reason, payload) =>
      typeof objectOr(payload)?.session_id === 'string'
        ? jsonOutput(
            specific(undefined, { permissionDecision: 'ask', permissionDecisionReason: reason }),
          )
        : undefined,
  }),
};

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  const { cwd: folder, moment } = at.origin(payload, processCwd);
  if (event === 'session-start') {
    const isAfterCompaction = /^postcompact$/i.test(at.text(payload, 'hook_event_name') ?? '');
    return { ...moment, kind: event, source: isAfterCompaction ? 'compacted' : 'new' };
  }
  if (event === 'task-created' || event === 'task-completed') {
    const change = taskChange(event, payload);
    return change && { ...moment, kind: 'tasks', change };
  }
  const failed = objectOr(payload.tool_response)?.success === false;
  const cwd = commandFolder(payload, folder);
  const known = { moment: { ...moment, cwd }, recorded: moment, failed };
  return at.usual(event === 'after-tool-failure' ? 'after-tool' : event, payload, {
    ...known,
    call: () => toolCall(payload, folder),
  });
}

/** The folder that a shell command runs in. */
function commandFolder({ tool_name: name, tool_input: input }: JsonObject, cwd: string): string {
  const own = SHELL_TOOLS.includes(String(name)) ? objectOr(input)?.cwd : undefined;
  return isPath(own) ? resolve(cwd, own) : cwd;
}

/** Some versions send no input after a tool. */
function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  const input = objectOr(payload.tool_input);
  if (SHELL_TOOLS.includes(name)) return { tool: 'shell', command: at.command(input), edited: [] };
  if (EDIT_TOOLS.includes(name) && isPath(input?.path)) {
    return { tool: 'edit', paths: [resolve(cwd, input.path)] };
  }
  return serverTool(name, /^@([^/]+)\/(.+)$/s, input);
}

/** The tasks of a specification are known by their names. */
function taskChange(
  event: 'task-created' | 'task-completed',
  payload: JsonObject,
): TaskChange | undefined {
  const { spec_name: specification, task_name: title, task_success: success } = payload;
  if (typeof title !== 'string' || title === '') return undefined;
  const id = typeof specification === 'string' ? `${specification}: ${title}` : title;
  const isDone = event === 'task-completed' && success !== false;
  return { of: 'one', id, title, status: isDone ? 'completed' : 'in_progress' };
}
