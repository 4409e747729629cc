/**
 * The payloads that Claude Code sends to hooks, and the answers that it takes.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 *
 * @see https://code.claude.com/docs/en/hooks
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { jsonOutput, renderer, specific } from '../kit/hook-output.ts';
import { isPath, payloadReader, serverTool } from '../kit/payload.ts';
import { taskStatus, wholeList } from '../kit/tasks.ts';
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

const at = payloadReader('Claude Code');

export const claudeCodeAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (event, text) => answer(event, { additionalContext: text }),
    // Said twice. With exit code 0, JSON that the client cannot read counts as no opinion; with exit code 2
    // alone, the agent is shown the hook's command line. Together, the reason comes from the JSON, and the exit
    // code denies even if the JSON is lost.
    denied: (event, reason) => ({ ...decided(event, 'deny', reason), exitCode: 2 }),
    asked: (event, reason) => decided(event, 'ask', reason),
    // No decision is given, so that the user's own permissions decide on the new input as on any other.
    rewritten: (event, input, text) =>
      answer(event, { updatedInput: input, additionalContext: text }),
  }),
};

const answer = (event: EventName, fields: object): HookOutput =>
  jsonOutput(specific(EVENTS[event], fields));

const decided = (event: EventName, decision: 'deny' | 'ask', reason: string): HookOutput =>
  answer(event, { permissionDecision: decision, permissionDecisionReason: reason });

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  const { cwd, ...origin } = at.origin(payload, processCwd);
  const subAgent = at.text(payload, 'agent_id');
  const moment = { ...origin.moment, ...(subAgent === undefined ? {} : { subAgent }) };
  const tasks = (change: TaskChange | undefined): HookEvent | undefined =>
    change && { ...moment, kind: 'tasks', change };
  const tool = event === 'after-tool' ? (at.text(payload, 'tool_name') ?? '') : '';
  if (TASK_TOOLS.includes(tool)) return tasks(toolTasks(tool, payload));
  if (event === 'task-created' || event === 'task-completed') {
    const status = event === 'task-completed' ? 'completed' : undefined;
    // The client sends these events for all tasks, also for those that its own tools create.
    return tasks(oneTask(payload.task_id, payload.task_subject, status));
  }
  const recorded = { ...origin.recorded, ...moment };
  const call = () => toolCall(payload, cwd);
  return at.usual(event, payload, { moment, recorded, call, said: 'last_assistant_message' });
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  const pathField = PATH_FIELDS.get(name);
  if (pathField === undefined && !SHELL_TOOLS.includes(name)) {
    return serverTool(name, /^mcp__(.+?)__(.+)$/s, payload.tool_input);
  }
  const input = at.object(payload.tool_input, 'tool_input');
  if (pathField !== undefined) {
    return { tool: 'edit', paths: [resolve(cwd, at.file(input, pathField))] };
  }
  const command = at.command(input);
  const edited = editedByShell(payload.tool_response, cwd);
  // PowerShell has other words for `&&`, and a monitor is started to be watched.
  if (name !== 'Bash') return { tool: 'shell', command, edited };
  const timeLimitMs = typeof input.timeout === 'number' ? input.timeout : undefined;
  const rewritten = (other: string) => ({ ...input, command: other });
  return { tool: 'shell', command, edited, timeLimitMs, rewritten };
}

/** Reported only if the user's settings have `bashEditDiffEnabled`. */
function editedByShell(response: unknown, cwd: string): string[] {
  const diff = isJsonObject(response) ? response.bashEditDiff : undefined;
  const files = isJsonObject(diff) ? diff.changedFiles : undefined;
  if (!Array.isArray(files)) return [];
  return files.filter(isPath).map((path) => resolve(cwd, path));
}

/** The change that a tool has made to the task list, from the payload after its call. */
function toolTasks(tool: string, payload: JsonObject): TaskChange | undefined {
  const input = objectOr(payload.tool_input) ?? {};
  const response = objectOr(payload.tool_response) ?? {};
  switch (tool) {
    case 'TaskCreate': {
      const task = objectOr(response.task) ?? {};
      return oneTask(task.id, task.subject ?? input.subject, 'pending');
    }
    case 'TaskUpdate':
      if (response.success === false) return undefined;
      return oneTask(input.taskId, input.subject, taskStatus(input.status));
    default:
      return wholeList(input.todos, 'content');
  }
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
