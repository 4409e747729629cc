/**
 * The payloads that Claude Code sends to hooks, and the answers that it takes.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 *
 * @see https://code.claude.com/docs/en/hooks
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { asQuestion, clippedText } from '../kit/hook-output.ts';
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
import { CAPABILITIES, EVENTS, PATH_FIELDS, SHELL_TOOLS, TASK_TOOLS } from './capabilities.ts';

/** In UTF-16 units. A text of 10,000 is written to a file, and the model sees only a preview. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('Claude Code');

export const claudeCodeAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    if (reply.decision === 'none') return withContext(event, reply.context);
    if (reply.decision === 'rewrite') return withInput(event, reply.input, reply.context);
    const { denies, asks } = CAPABILITIES;
    const events = reply.decision === 'deny' ? denies : asks;
    // What cannot be refused is told instead, where the client takes text.
    if (!events.includes(event)) return withContext(event, reply.reason);
    const reason = reply.decision === 'ask' ? asQuestion(reply.reason) : reply.reason;
    return withDecision(event, reply.decision, reason);
  },
};

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = resolve(processCwd, at.path(payload, 'cwd') ?? '.');
  const subAgent = at.text(payload, 'agent_id');
  const moment = {
    ...{ session: at.text(payload, 'session_id') ?? '', cwd },
    ...(subAgent === undefined ? {} : { subAgent }),
  };
  const { transcript_path: path } = payload;
  const recorded = { ...moment, ...(isPath(path) ? { transcript: resolve(path) } : {}) };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: sessionSource(payload.source) };
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: at.text(payload, 'prompt') };
    case 'before-compact':
      return { ...moment, kind: event };
    case 'before-tool':
      return { ...moment, kind: event, call: toolCall(payload, cwd) };
    case 'after-tool': {
      const call = toolCall(payload, cwd);
      if (call.tool !== 'other' || !TASK_TOOLS.includes(call.name)) {
        return { ...moment, kind: event, call, failed: false };
      }
      const change = taskChange(call.name, payload);
      return change && { ...moment, kind: 'tasks', change };
    }
    case 'after-tool-failure':
      return { ...moment, kind: 'after-tool', call: toolCall(payload, cwd), failed: true };
    case 'stop':
      return {
        ...{ ...recorded, kind: event, continued: payload.stop_hook_active === true },
        said: at.text(payload, 'last_assistant_message'),
      };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    case 'task-created':
    case 'task-completed': {
      const change = taskEvent(event, payload);
      return change && { ...moment, kind: 'tasks', change };
    }
  }
}

/** An unknown source counts as new, so that the agent is told what is held. */
function sessionSource(source: unknown): 'new' | 'resumed' | 'cleared' | 'compacted' {
  if (source === 'resume' || source === 'fork') return 'resumed';
  if (source === 'clear') return 'cleared';
  return source === 'compact' ? 'compacted' : 'new';
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.text(payload, 'tool_name');
  if (!name) throw at.misread('`tool_name` is missing');
  const pathField = PATH_FIELDS.get(name);
  if (pathField === undefined && !SHELL_TOOLS.includes(name)) {
    return serverTool(name, payload.tool_input) ?? { tool: 'other', name };
  }

  const input = payload.tool_input;
  if (!isJsonObject(input)) throw at.misread('`tool_input` is no JSON object');
  if (pathField !== undefined) {
    const path = at.path(input, pathField);
    if (path === undefined) throw at.misread(`\`${pathField}\` is missing`);
    return { tool: 'edit', paths: [resolve(cwd, path)] };
  }
  const command = at.text(input, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  const edited = editedByShell(payload.tool_response, cwd);
  // PowerShell has other words for `&&`, and a monitor is started to be watched.
  if (name !== 'Bash') return { tool: 'shell', command, edited };
  const timeLimitMs = typeof input.timeout === 'number' ? input.timeout : undefined;
  const rewritten = (other: string) => ({ ...input, command: other });
  return { tool: 'shell', command, edited, timeLimitMs, rewritten };
}

/** `mcp__server__tool`. */
function serverTool(name: string, input: unknown): ToolCall | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  return { tool: 'mcp', server, name: tool, input: isJsonObject(input) ? input : {} };
}

/** Reported only if the user's settings have `bashEditDiffEnabled`. */
function editedByShell(response: unknown, cwd: string): string[] {
  const diff = isJsonObject(response) ? response.bashEditDiff : undefined;
  const files = isJsonObject(diff) ? diff.changedFiles : undefined;
  if (!Array.isArray(files)) return [];
  return files.filter(isPath).map((path) => resolve(cwd, path));
}

/**
 * A denial is expressed twice. With exit code 0, JSON that the client cannot read counts as no
 * opinion; with exit code 2 alone, the agent is shown the hook's command line. Together, the reason
 * comes from the JSON, and the exit code denies even if the JSON is lost.
 */
function withDecision(event: EventName, decision: 'deny' | 'ask', reason: string): HookOutput {
  const stdout = answer(event, {
    permissionDecision: decision,
    permissionDecisionReason: shortened(reason),
  });
  return { stdout, stderr: '', exitCode: decision === 'deny' ? 2 : 0 };
}

/** Without a decision, so that the user's own permissions decide on the new input as on any other. */
function withInput(event: EventName, input: object, context: string): HookOutput {
  const fields = { updatedInput: input, additionalContext: shortened(context) };
  return { stdout: answer(event, fields), stderr: '', exitCode: 0 };
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  const told =
    context !== undefined && context.trim() !== '' && CAPABILITIES.takesContext.includes(event);
  const stdout = told ? answer(event, { additionalContext: shortened(context) }) : '';
  return { stdout, stderr: '', exitCode: 0 };
}

function answer(event: EventName, fields: Readonly<Record<string, string | object>>): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: EVENTS[event], ...fields },
  });
}

// What cannot be read as a task is ignored: an incomplete list is better than a hook that fails.

/** The change that a tool has made to the task list, from the payload after its call. */
function taskChange(tool: string, payload: JsonObject): TaskChange | undefined {
  const input = objectAt(payload, 'tool_input');
  const response = objectAt(payload, 'tool_response');
  switch (tool) {
    case 'TaskCreate': {
      const task = objectAt(response, 'task');
      return oneTask(task.id, task.subject ?? input.subject, 'pending');
    }
    case 'TaskUpdate':
      if (response.success === false) return undefined;
      return oneTask(input.taskId, input.subject, statusOf(input.status));
    default:
      return Array.isArray(input.todos)
        ? { of: 'all', tasks: input.todos.flatMap(todoOf) }
        : undefined;
  }
}

/** The client sends these events for all tasks, also for those that its own tools create. */
function taskEvent(
  event: Extract<EventName, 'task-created' | 'task-completed'>,
  payload: JsonObject,
): TaskChange | undefined {
  const status = event === 'task-completed' ? 'completed' : undefined;
  return oneTask(payload.task_id, payload.task_subject, status);
}

function oneTask(
  id: unknown,
  title: unknown,
  status: TaskStatus | undefined,
): TaskChange | undefined {
  const known = typeof id === 'number' ? String(id) : id;
  if (typeof known !== 'string' || known === '') return undefined;
  return { of: 'one', id: known, title: typeof title === 'string' ? title : undefined, status };
}

function todoOf(todo: unknown): { title: string; status: TaskStatus }[] {
  if (!isJsonObject(todo) || typeof todo.content !== 'string') return [];
  return [{ title: todo.content, status: statusOf(todo.status) ?? 'pending' }];
}

/** `deleted` removes a task from the list. */
function statusOf(status: unknown): TaskStatus | undefined {
  switch (status) {
    case 'pending':
    case 'in_progress':
    case 'completed':
      return status;
    case 'deleted':
      return 'dropped';
    default:
      return undefined;
  }
}

function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}
