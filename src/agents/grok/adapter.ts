/**
 * The payloads that Grok Build sends to hooks, and the answers that it takes.
 *
 * Its names are in camelCase; newer versions add most of them in snake_case, as another client writes
 * them, whose hook files it runs as well.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { isAbsolute, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { clippedText, jsonOutput, questionAsDenial, SILENT } from '../kit/hook-output.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, EVENTS, SHELL_TOOLS } from './capabilities.ts';

/** In UTF-16 units: what the model is shown of a text. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('Grok Build');

export const grokAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    if (reply.decision === 'none') return withContext(event, reply.context);
    if (reply.decision === 'rewrite') return denied(event, reply.context);
    const reason = reply.decision === 'ask' ? questionAsDenial(reply.reason) : reply.reason;
    return denied(event, reason);
  },
};

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = folderOf(payload, processCwd);
  const moment = { session: at.text(payload, either(payload, 'sessionId')) ?? '', cwd };
  const transcript = payload[either(payload, 'transcriptPath')];
  const recorded = {
    ...moment,
    ...(isPath(transcript) ? { transcript: resolve(transcript) } : {}),
  };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: sessionSource(payload.source) };
    case 'before-tool':
      return { ...moment, kind: event, call: toolCall(payload, cwd) };
    case 'after-tool':
    case 'after-tool-failure': {
      const failed = event === 'after-tool-failure';
      return { ...moment, kind: 'after-tool', call: toolCall(payload, cwd), failed };
    }
    case 'stop':
      return { ...recorded, kind: event, continued: payload.stopHookActive === true };
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: at.text(payload, 'prompt') };
    case 'before-compact':
      return { ...moment, kind: event };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    case 'task-created':
    case 'task-completed':
      return undefined;
  }
}

/** `toolName` if it is there, else `tool_name`. */
function either(payload: JsonObject, name: string): string {
  if ((payload[name] ?? undefined) !== undefined) return name;
  return name.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
}

function folderOf(payload: JsonObject, processCwd: string): string {
  const cwd = at.path(payload, 'cwd') ?? at.path(payload, either(payload, 'workspaceRoot'));
  return resolve(processCwd, cwd ?? '.');
}

function sessionSource(source: unknown): 'new' | 'resumed' {
  return source === 'load' || source === 'resume' ? 'resumed' : 'new';
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.text(payload, either(payload, 'toolName'));
  if (!name) throw at.misread('`toolName` is missing');
  const input = payload[either(payload, 'toolInput')];
  const isShell = SHELL_TOOLS.includes(name);
  if (!isShell && !EDIT_TOOLS.includes(name)) {
    return serverTool(name, input) ?? { tool: 'other', name };
  }
  if (!isJsonObject(input)) throw at.misread('`toolInput` is no JSON object');
  if (!isShell) {
    const path = at.path(input, 'file_path');
    if (path === undefined) throw at.misread('`file_path` is missing');
    return { tool: 'edit', paths: [isAbsolute(path) ? path : resolve(cwd, path)] };
  }
  const command = at.text(input, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  if (payload.toolInputTruncated === true) throw at.misread('the command is cut short');
  const timeLimitMs = typeof input.timeout === 'number' ? input.timeout : undefined;
  return { tool: 'shell', command, edited: [], timeLimitMs };
}

/** `server__tool`. */
function serverTool(name: string, input: unknown): ToolCall | undefined {
  const [, server, tool] = /^(.+?)__(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  return { tool: 'mcp', server, name: tool, input: isJsonObject(input) ? input : {} };
}

/**
 * A denial is said in three ways. Versions before 1.0.40 read the outer words only, and later ones prefer
 * the inner; the exit code denies even if the JSON is lost, and then the reason is what is on stderr.
 */
function denied(event: EventName, text: string): HookOutput {
  if (!CAPABILITIES.denies.includes(event)) return withContext(event, text);
  const reason = shortened(text);
  const inner = { permissionDecision: 'deny', permissionDecisionReason: reason };
  const answer = { decision: 'deny', reason, ...specific(event, inner) };
  return { ...jsonOutput(answer, 2), stderr: reason };
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
  return jsonOutput(specific(event, { additionalContext: shortened(context) }));
}

function specific(event: EventName, fields: Readonly<Record<string, string>>): object {
  return { hookSpecificOutput: { hookEventName: EVENTS[event]?.[0], ...fields } };
}
