/**
 * The payloads that our plugin for OpenCode sends, and the answers that it carries out.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { jsonOutput, questionAsDenial, SILENT } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { lenientParse, payloadReader } from '../kit/payload.ts';
import type {
  AgentAdapter,
  EventName,
  HookEvent,
  HookOutput,
  TaskChange,
  TaskStatus,
  ToolCall,
} from '../types.ts';
import {
  CAPABILITIES,
  EDIT_TOOLS,
  PATCH_TOOLS,
  READING_TOOLS,
  SHELL_TOOL,
  TASK_TOOL,
} from './capabilities.ts';
import { databaseFile } from './database.ts';
import type { PluginAnswer } from './payload.ts';

const at = payloadReader('OpenCode');

export const opencodeAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    switch (reply.decision) {
      case 'none':
        return withContext(event, reply.context);
      case 'rewrite':
        return answered({ args: reply.input, context: reply.context });
      case 'ask':
        return denied(event, questionAsDenial(reply.reason));
      case 'deny':
        return denied(event, reply.reason);
    }
  },
};

function denied(event: EventName, reason: string): HookOutput {
  if (!CAPABILITIES.denies.includes(event)) return withContext(event, reason);
  return answered({ deny: reason }, 2);
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
  return answered({ context });
}

const answered = (answer: PluginAnswer, exitCode = 0): HookOutput => jsonOutput(answer, exitCode);

function read(
  event: EventName,
  payload: unknown,
  processCwd: string,
  env: Environment = {},
): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = resolve(processCwd, at.path(payload, 'directory') ?? '.');
  const moment = { session: at.text(payload, 'session') ?? '', cwd };
  const recorded = { ...moment, transcript: `${databaseFile(env)}#${moment.session}` };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: sessionSource(payload.start) };
    case 'before-tool':
      return { ...moment, kind: event, ...toolCall(payload, cwd) };
    case 'after-tool': {
      const change = taskChange(payload);
      if (change !== undefined) return { ...moment, kind: 'tasks', change };
      return { ...moment, kind: event, failed: false, ...toolCall(payload, cwd) };
    }
    case 'stop':
      return { ...recorded, kind: event, continued: false };
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: spoken(at.text(payload, 'prompt')) };
    case 'before-compact':
      return { ...moment, kind: event };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    default:
      return undefined;
  }
}

/** `opencode run` puts a prompt of several words in quotes. */
function spoken(prompt: string | undefined): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(prompt?.trim() ?? '')?.[1];
  return quoted?.replaceAll('\\"', '"') ?? prompt;
}

function sessionSource(start: unknown): 'new' | 'resumed' | 'compacted' {
  return start === 'resumed' || start === 'compacted' ? start : 'new';
}

/** With the folder that a command runs in, where it names one. */
function toolCall(
  payload: JsonObject,
  directory: string,
): { readonly call: ToolCall; readonly cwd: string } {
  const name = at.text(payload, 'tool');
  if (!name) throw at.misread('`tool` is missing');
  const args = isJsonObject(payload.args) ? payload.args : {};
  if (name === SHELL_TOOL) {
    const cwd = resolve(directory, at.path(args, 'workdir') ?? '.');
    return { cwd, call: shellCall(args) };
  }
  const call = editCall(name, args, directory) ?? otherCall(name, args, at.text(payload, 'server'));
  return { cwd: directory, call };
}

function shellCall(args: JsonObject): ToolCall {
  const command = at.text(args, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  const timeLimitMs = typeof args.timeout === 'number' ? args.timeout : undefined;
  const rewritten = (other: string) => ({ ...args, command: other });
  return { tool: 'shell', command, edited: [], timeLimitMs, rewritten };
}

function editCall(name: string, args: JsonObject, directory: string): ToolCall | undefined {
  if (PATCH_TOOLS.includes(name)) {
    return { tool: 'edit', paths: patchedPaths(at.text(args, 'patchText') ?? '', directory) };
  }
  if (!EDIT_TOOLS.includes(name)) return undefined;
  const path = at.path(args, 'filePath');
  if (path === undefined) throw at.misread('`filePath` is missing');
  return { tool: 'edit', paths: [resolve(directory, path)] };
}

/** `server_tool`: without the name of a server, what stands before the first `_` is taken for it. */
function otherCall(name: string, input: JsonObject, known: string | undefined): ToolCall {
  const end = known?.length ?? name.indexOf('_');
  if (end < 1 || name === TASK_TOOL || READING_TOOLS.includes(name)) return { tool: 'other', name };
  return { tool: 'mcp', server: name.slice(0, end), name: name.slice(end + 1), input };
}

/** The list is written as a whole. What cannot be read as a task is left out. */
function taskChange({ tool, args }: JsonObject): TaskChange | undefined {
  if (tool !== TASK_TOOL || !isJsonObject(args) || !Array.isArray(args.todos)) return undefined;
  const tasks = args.todos.flatMap((todo) =>
    isJsonObject(todo) && typeof todo.content === 'string'
      ? [{ title: todo.content, status: statusOf(todo.status) }]
      : [],
  );
  return { of: 'all', tasks };
}

function statusOf(status: unknown): TaskStatus {
  if (status === 'in_progress' || status === 'completed') return status;
  return status === 'cancelled' ? 'dropped' : 'pending';
}
