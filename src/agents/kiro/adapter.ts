/**
 * The payloads that Kiro sends to hooks, and the answers that it takes: a denial is an exit code with its
 * reason on stderr, text for the model is plain text, and only a question is JSON.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import {
  asQuestion,
  clippedText,
  jsonOutput,
  questionAsDenial,
  SILENT,
} from '../kit/hook-output.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type {
  AgentAdapter,
  EventName,
  HookEvent,
  HookOutput,
  TaskChange,
  ToolCall,
} from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, SHELL_TOOLS } from './capabilities.ts';

/** In UTF-16 units. It keeps 10,240 bytes of what a hook prints, unless it is told otherwise. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('Kiro');

export const kiroAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply, payload) {
    const { denies, takesContext } = CAPABILITIES;
    if (reply.decision === 'none') {
      const told = reply.context?.trim() && takesContext.includes(event);
      return told ? { ...SILENT, stdout: shortened(reply.context ?? '') } : SILENT;
    }
    if (!denies.includes(event)) return SILENT;
    if (reply.decision === 'deny') return denied(reply.reason);
    if (reply.decision === 'rewrite') return denied(reply.context);
    return reachesPerson(payload)
      ? question(asQuestion(reply.reason))
      : denied(questionAsDenial(reply.reason));
  },
};

/** `deny` in JSON is ignored. */
function denied(reason: string): HookOutput {
  return { stdout: '', stderr: shortened(reason), exitCode: 2 };
}

function question(reason: string): HookOutput {
  return jsonOutput({
    hookSpecificOutput: {
      permissionDecision: 'ask',
      permissionDecisionReason: shortened(reason),
    },
  });
}

/** A run without a person names no session. */
function reachesPerson(payload: unknown): boolean {
  return typeof objectOr(payload)?.session_id === 'string';
}

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = resolve(processCwd, at.path(payload, 'cwd') ?? '.');
  const moment = { session: at.text(payload, 'session_id') ?? '', cwd };

  switch (event) {
    case 'before-tool':
      return toolMoment(event, payload, moment);
    case 'after-tool':
    case 'after-tool-failure': {
      const failed = objectOr(payload.tool_response)?.success === false;
      return { ...toolMoment('before-tool', payload, moment), kind: 'after-tool', failed };
    }
    case 'session-start': {
      const isAfterCompaction = /^postcompact$/i.test(at.text(payload, 'hook_event_name') ?? '');
      return { ...moment, kind: event, source: isAfterCompaction ? 'compacted' : 'new' };
    }
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: at.text(payload, 'prompt') };
    case 'before-compact':
      return { ...moment, kind: event };
    case 'stop':
      return { ...moment, kind: event, continued: false };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    case 'task-created':
    case 'task-completed': {
      const change = taskChange(event, payload);
      return change && { ...moment, kind: 'tasks', change };
    }
  }
}

interface Moment {
  readonly session: string;
  readonly cwd: string;
}

function toolMoment(kind: 'before-tool', payload: JsonObject, { session, cwd }: Moment) {
  const name = at.text(payload, 'tool_name');
  if (!name) throw at.misread('`tool_name` is missing');
  const input = objectOr(payload.tool_input);
  const moment = { session, kind };
  if (!SHELL_TOOLS.includes(name)) return { ...moment, cwd, call: otherTool(name, input, cwd) };
  const command = input && at.text(input, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  const call: ToolCall = { tool: 'shell', command, edited: [] };
  return { ...moment, call, cwd: isPath(input?.cwd) ? resolve(cwd, input.cwd) : cwd };
}

/** Some versions send no input after a tool. */
function otherTool(name: string, input: JsonObject | undefined, cwd: string): ToolCall {
  if (EDIT_TOOLS.includes(name) && isPath(input?.path)) {
    return { tool: 'edit', paths: [resolve(cwd, input.path)] };
  }
  const [, server, tool] = /^@([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return { tool: 'other', name };
  return { tool: 'mcp', server, name: tool, input: input ?? {} };
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
