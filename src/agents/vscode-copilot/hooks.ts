/**
 * The payloads that VS Code sends to hooks for its local sessions, and the answers that it takes.
 * It runs the hook files of two other clients, each of their hooks for every tool.
 */
import { resolve } from 'node:path';
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import { agentHooks, specificAnswers } from '../kit/hooks.ts';
import { edited, isPath, patchedPaths, payloadReader, shell } from '../kit/payload.ts';
import type { ToolCall } from '../types.ts';

const TOOLS = {
  // Other shell tools are recognised by a command in their input.
  shell: ['run_in_terminal', 'runInTerminal', 'runTerminalCommand'],
  // A path in the input does not show an edit: tools that read have one as well.
  edit: [
    'create_file',
    'editFiles',
    'edit_notebook_file',
    'insert_edit_into_file',
    'multi_replace_string_in_file',
    'replace_string_in_file',
  ],
  patch: ['apply_patch'],
  server: [/^mcp_([^_]+)_(.+)$/s],
};

/** Manuals differ in how they spell fields. */
const at = payloadReader('VS Code', TOOLS, 'both');

const EVENTS = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'before-compact': 'PreCompact',
  stop: 'Stop',
};

const NAMES: readonly unknown[] = Object.values(EVENTS);

/** The client drops an answer that does not name its event. */
const { told, denied, asked } = specificAnswers(EVENTS);

export const vscodeCopilotHooks = agentHooks(at, {
  events: EVENTS,
  capabilities: {
    ...USUAL,
    asks: ['before-tool'],
    takesContext: ['session-start', 'before-tool', 'after-tool'],
    // The input is not replaced: the client ignores one that does not fit the tool, and would run
    // the command as it was.
    cannotSee: [
      'sessions of its cloud agent where the hooks are not in the repository',
      'the end of a session',
      'a command that the user types into a terminal of their own',
    ],
    knownFrom: 'documentation',
  },
  // Another client with the same files sets its own variable; a third one starts sessions in other ways.
  sends: ({ timestamp, source, hook_event_name, hookEventName, workspaceRoot }, env) =>
    typeof timestamp === 'string' &&
    NAMES.includes(hook_event_name ?? hookEventName) &&
    workspaceRoot === undefined &&
    (source === undefined || source === 'new') &&
    !env.COPILOT_CLI,
  // The exit code denies even if the JSON is lost.
  answers: { told, asked, denied: (event, why) => ({ ...denied(event, why), stderr: why }) },
  read(event, payload, processCwd) {
    const { cwd, ...known } = at.origin(payload, processCwd);
    return at.usual(event, payload, { ...known, call: () => toolCall(payload, cwd) });
  },
});

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  const input = objectOr(at.value(payload, 'tool_input')) ?? {};
  const isPatch = TOOLS.patch.includes(name);
  const isEdit = isPatch || TOOLS.edit.includes(name);
  const paths = isPatch ? patchedPaths(String(input.input ?? ''), cwd) : namedIn(input, cwd);
  if (isEdit && paths.length > 0) return edited(...paths);
  if (isEdit) return { tool: 'other', name };
  if (typeof input.command === 'string') return shell(input.command);
  return at.callOf(name, input, cwd);
}

function namedIn({ filePath, files, replacements }: JsonObject, cwd: string): readonly string[] {
  const each = [files, replacements].flatMap((it) => (Array.isArray(it) ? it : []));
  const named = each.map((it: unknown) => objectOr(it)?.filePath ?? it);
  return [...new Set([filePath, ...named].filter(isPath).map((it) => resolve(cwd, it)))];
}
