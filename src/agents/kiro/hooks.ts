/**
 * The payloads that Kiro sends to hooks, and the answers that it takes: a denial is an exit code with its
 * reason on stderr, text for the model is plain text, and only a question is JSON.
 */
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import {
  agentHooks,
  decided,
  jsonOutput,
  refusedOnStderr,
  SILENT,
  specific,
} from '../kit/hooks.ts';
import { payloadReader } from '../kit/payload.ts';
import { oneTask } from '../kit/tasks.ts';

const at = payloadReader('Kiro', {
  // The short names are aliases.
  shell: ['execute_bash', 'shell'],
  folder: 'cwd',
  edit: ['fs_write', 'fs_append', 'str_replace', 'write'],
  path: ['path'],
  server: [/^@([^/]+)\/(.+)$/s],
  isInputOptional: true,
});

export const kiroHooks = agentHooks(at, {
  // The client's names in settings. In payloads some versions begin them with a small letter.
  events: {
    'session-start': ['SessionStart', 'PostCompact'],
    'prompt-submit': 'UserPromptSubmit',
    'before-tool': 'PreToolUse',
    'after-tool': 'PostToolUse',
    'before-compact': 'PreCompact',
    'task-created': 'PreTaskExec',
    'task-completed': 'PostTaskExec',
    stop: 'Stop',
    'session-end': 'SessionEnd',
  },
  capabilities: {
    ...USUAL,
    asks: ['before-tool'],
    takesContext: ['session-start', 'prompt-submit'],
    subAgents: 'not held',
    cannotSee: [
      'a tool call that is repeated at once after a refusal',
      'sessions of `kiro-cli --v2`, which those without a terminal are unless they say `--v3`, of an agent that has no file in `~/.kiro/agents`, or got it later than the hooks',
    ],
    knownFrom: 'documentation',
  },
  leavesInputOpen: true,
  answers: {
    told: (_event, text) => ({ ...SILENT, stdout: text }),
    // `deny` in JSON is ignored.
    denied: (_event, reason) => refusedOnStderr(reason),
    // A run without a person names no session.
    asked: (_event, reason, payload) =>
      typeof objectOr(payload)?.session_id === 'string'
        ? jsonOutput(specific(undefined, decided('ask', reason)))
        : undefined,
  },
  read(event, payload, processCwd) {
    const { moment, call } = at.origin(payload, processCwd);
    if (event === 'session-start') {
      const isAfterCompaction = /^postcompact$/i.test(at.text(payload, 'hook_event_name') ?? '');
      return { ...moment, kind: event, source: isAfterCompaction ? 'compacted' : 'new' };
    }
    if (event === 'task-created' || event === 'task-completed') {
      const change = taskChange(event, payload);
      return change && { ...moment, kind: 'tasks', change };
    }
    return at.usual(event === 'after-tool-failure' ? 'after-tool' : event, payload, {
      moment,
      recorded: moment,
      call,
      failed: objectOr(payload.tool_response)?.success === false,
    });
  },
});

/** The change of a task; tasks of a specification have only names. */
function taskChange(
  event: 'task-created' | 'task-completed',
  { spec_name: specification, task_name: title, task_success: success }: JsonObject,
) {
  if (typeof title !== 'string' || title === '') return undefined;
  const id = typeof specification === 'string' ? `${specification}: ${title}` : title;
  const isDone = event === 'task-completed' && success !== false;
  return oneTask(id, title, isDone ? 'completed' : 'in_progress');
}
