/**
 * The payloads that VS Code sends to hooks for its local sessions, and the answers that it takes. It runs the
 * hook files of two other clients, and asks each of their hooks about every tool.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { asQuestion, clippedText, jsonOutput, SILENT } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, EVENTS, PATCH_TOOL, SHELL_TOOLS } from './capabilities.ts';

/** In UTF-16 units; the client names no limit. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('VS Code');

export const vscodeCopilotAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    if (reply.decision === 'none') return withContext(event, reply.context);
    const { denies } = CAPABILITIES;
    const reason = reply.decision === 'rewrite' ? reply.context : reply.reason;
    if (!denies.includes(event)) return withContext(event, reason);
    if (reply.decision === 'ask') return withDecision(event, 'ask', asQuestion(reason));
    // The exit code denies even if the JSON is lost.
    const output = withDecision(event, 'deny', reason);
    return { ...output, stderr: shortened(reason), exitCode: 2 };
  },
};

function withDecision(event: EventName, permissionDecision: string, reason: string): HookOutput {
  return answer(event, { permissionDecision, permissionDecisionReason: shortened(reason) });
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
  return answer(event, { additionalContext: shortened(context) });
}

/** With another name than that of the event, all of it is dropped. */
function answer(event: EventName, fields: Readonly<Record<string, string>>): HookOutput {
  return jsonOutput({ hookSpecificOutput: { hookEventName: EVENTS[event], ...fields } });
}

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = resolve(processCwd, at.path(payload, 'cwd') ?? '.');
  const session = at.text(payload, either(payload, 'session_id')) ?? '';
  const moment = { session, cwd };
  const path = payload[either(payload, 'transcript_path')];
  const recorded = { ...moment, ...(isPath(path) ? { transcript: resolve(path) } : {}) };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: 'new' };
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: at.text(payload, 'prompt') };
    case 'before-compact':
      return { ...moment, kind: event };
    case 'before-tool':
      return { ...moment, kind: event, call: toolCall(payload, cwd) };
    case 'after-tool':
    case 'after-tool-failure': {
      const failed = event === 'after-tool-failure';
      return { ...moment, kind: 'after-tool', call: toolCall(payload, cwd), failed };
    }
    case 'stop': {
      const continued = payload[either(payload, 'stop_hook_active')] === true;
      return { ...recorded, kind: event, continued };
    }
    default:
      return undefined;
  }
}

/** Manuals differ: `session_id` if it is there, else `sessionId`. */
function either(payload: JsonObject, name: string): string {
  if ((payload[name] ?? undefined) !== undefined) return name;
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.text(payload, either(payload, 'tool_name'));
  if (!name) throw at.misread('`tool_name` is missing');
  const input = objectOr(payload[either(payload, 'tool_input')]);
  const paths = editedPaths(name, input, cwd);
  if (paths.length > 0) return { tool: 'edit', paths };
  const isEdit = name === PATCH_TOOL || EDIT_TOOLS.includes(name);
  const command = input?.command;
  if (!isEdit && typeof command === 'string') return { tool: 'shell', command, edited: [] };
  if (SHELL_TOOLS.includes(name)) throw at.misread('`command` is missing');
  const [, server, tool] = /^mcp_([^_]+)_(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return { tool: 'other', name };
  return { tool: 'mcp', server, name: tool, input: input ?? {} };
}

function editedPaths(name: string, input: JsonObject | undefined, cwd: string): readonly string[] {
  if (name === PATCH_TOOL) return patchedPaths(String(input?.input ?? ''), cwd);
  if (!EDIT_TOOLS.includes(name)) return [];
  const { filePath, files, replacements } = input ?? {};
  const each = [files, replacements].flatMap((it) => (Array.isArray(it) ? it : []));
  const named = each.map((it: unknown) => objectOr(it)?.filePath ?? it);
  return [...new Set([filePath, ...named].filter(isPath).map((it) => resolve(cwd, it)))];
}
