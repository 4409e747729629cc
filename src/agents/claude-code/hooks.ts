/**
 * The payloads that Claude Code sends to hooks, and the answers that it takes.
 *
 * @see https://code.claude.com/docs/en/hooks
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { USUAL, WHEREVER_IT_ACTS } from '../definition.ts';
import { agentHooks, specificAnswers } from '../kit/hooks.ts';
import { isPath, MCP_TOOL, payloadReader } from '../kit/payload.ts';
import { oneTask, taskStatus, wholeList } from '../kit/tasks.ts';
import type { HookEvent, TaskChange } from '../types.ts';

export const FOLDER = { name: 'CLAUDE_CONFIG_DIR', folder: '.claude' };

const at = payloadReader('Claude Code', {
  shell: ['Bash', 'Monitor', 'PowerShell'],
  // PowerShell has other words for `&&`, and a monitor is started to be watched.
  rewritable: ['Bash'],
  timeLimit: 'timeout',
  edit: ['Edit', 'Write', 'NotebookEdit'],
  path: ['file_path', 'notebook_path'],
  server: MCP_TOOL,
  // `TodoWrite` writes all of the list, the others one task each.
  tasks: ['TaskCreate', 'TaskUpdate', 'TodoWrite'],
});

const EVENTS = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'after-tool-failure': 'PostToolUseFailure',
  stop: 'Stop',
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
  'task-created': 'TaskCreated',
  'task-completed': 'TaskCompleted',
};

const { answer, told, denied, asked } = specificAnswers(EVENTS);

export const claudeCodeHooks = agentHooks(at, {
  events: EVENTS,
  capabilities: {
    ...USUAL,
    asks: ['before-tool'],
    // The client takes text at `stop` as well, and would make the agent go on.
    takesContext: WHEREVER_IT_ACTS,
    rewritesInput: ['before-tool'],
    shellTime: { defaultMs: 120_000, variable: 'BASH_DEFAULT_TIMEOUT_MS' },
    failClosed: 'onFailure: block',
    cannotSee: ['a command that the user types after `!`'],
    knownFrom: 'real client',
  },
  answers: {
    told,
    // The denial is given twice. With exit code 0, JSON that the client cannot read counts as no
    // opinion; with exit code 2 alone, the agent is shown the hook's command line. Together, the
    // reason comes from the JSON, and the exit code denies even if the JSON is lost.
    denied,
    asked,
    // No decision is given, so that the user's own permissions decide on the new input as on any other.
    rewritten: (event, input, text) =>
      answer(event, { updatedInput: input, additionalContext: text }),
  },
  read(event, payload, processCwd) {
    const { cwd, call, ...origin } = at.origin(payload, processCwd);
    const subAgent = at.text(payload, 'agent_id');
    const moment = { ...origin.moment, ...(subAgent === undefined ? {} : { subAgent }) };
    const tasks = (change: TaskChange | undefined): HookEvent | undefined =>
      change && { ...moment, kind: 'tasks', change };
    const tool = event === 'after-tool' ? (at.text(payload, 'tool_name') ?? '') : '';
    if (at.tools.tasks?.includes(tool)) return tasks(toolTasks(tool, payload));
    if (event === 'task-created' || event === 'task-completed') {
      const status = event === 'task-completed' ? 'completed' : undefined;
      // The client sends these events for all tasks, even for those that its own tools create.
      return tasks(oneTask(payload.task_id, payload.task_subject, status));
    }
    return at.usual(event, payload, {
      moment,
      recorded: { ...origin.recorded, ...moment },
      call() {
        const known = call();
        return known.tool === 'shell' ? { ...known, edited: editedByShell(payload, cwd) } : known;
      },
      said: 'last_assistant_message',
    });
  },
});

/** Reported only if the user's settings have `bashEditDiffEnabled`. */
function editedByShell({ tool_response: response }: JsonObject, cwd: string): string[] {
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
