/**
 * The payloads that Copilot CLI sends to hooks, and the answers that it takes.
 *
 * How an entry spells its event decides the payload: `preToolUse` brings `toolName` and `toolArgs`,
 * `PreToolUse` brings `tool_name` and `tool_input`, with the names of another agent for its tools. So does
 * the settings file of that agent, which the client runs as well. Answers without a wrapper count in both.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 *
 * @see https://docs.github.com/en/copilot/reference/hooks-reference
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, parsedJson } from '../../base/text/json.ts';
import { asQuestion, clippedText, jsonOutput, SILENT } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, PATCH_TOOL, SHELL_TOOLS, TASK_TOOL } from './capabilities.ts';
import { taskChange } from './task-table.ts';

/** In UTF-16 units: as much as other agents take. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('Copilot CLI');

export const copilotCliAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    if (reply.decision === 'none') return withContext(event, reply.context);
    if (reply.decision === 'rewrite') {
      const additionalContext = shortened(reply.context);
      return jsonOutput({ modifiedArgs: reply.input, additionalContext });
    }
    const { denies, asks } = CAPABILITIES;
    const events = reply.decision === 'deny' ? denies : asks;
    if (!events.includes(event)) return withContext(event, reply.reason);
    const reason = reply.decision === 'ask' ? asQuestion(reply.reason) : reply.reason;
    return withDecision(reply.decision, reason);
  },
};

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const cwd = resolve(processCwd, at.path(payload, 'cwd') ?? '.');
  const moment = { session: at.text(payload, either(payload, 'sessionId')) ?? '', cwd };
  const transcript = payload[either(payload, 'transcriptPath')];
  const recorded = {
    ...moment,
    ...(isPath(transcript) ? { transcript: resolve(transcript) } : {}),
  };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: sessionSource(payload.source) };
    case 'prompt-submit':
      return { ...recorded, kind: event, prompt: at.text(payload, 'prompt') };
    case 'before-compact':
      return { ...recorded, kind: event };
    case 'before-tool':
      return { ...moment, kind: event, call: toolCall(payload, cwd) };
    case 'after-tool': {
      const call = toolCall(payload, cwd);
      if (call.tool !== 'other' || call.name !== TASK_TOOL) {
        return { ...moment, kind: event, call, failed: false };
      }
      const change = taskChange(at.text(argumentsOf(payload), 'query') ?? '');
      return change && { ...moment, kind: 'tasks', change };
    }
    case 'after-tool-failure':
      return { ...moment, kind: 'after-tool', call: toolCall(payload, cwd), failed: true };
    case 'stop':
      return { ...recorded, kind: event, continued: payload.stop_hook_active === true };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    default:
      return undefined;
  }
}

/** `sessionId` if it is there, else `session_id`. */
function either(payload: JsonObject, name: string): string {
  if ((payload[name] ?? undefined) !== undefined) return name;
  return name.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
}

/** An unknown source counts as new, so that the agent is told what is held. */
function sessionSource(source: unknown): 'new' | 'resumed' | 'cleared' {
  if (source === 'resume') return 'resumed';
  return source === 'clear' ? 'cleared' : 'new';
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.text(payload, either(payload, 'toolName'));
  if (!name) throw at.misread('`toolName` is missing');
  if (name === PATCH_TOOL) return { tool: 'edit', paths: patchedPaths(patchOf(payload), cwd) };
  const isShell = SHELL_TOOLS.includes(name);
  if (!isShell && !EDIT_TOOLS.includes(name)) {
    return serverTool(name, payload) ?? { tool: 'other', name };
  }
  const input = argumentsOf(payload);
  if (!isShell) {
    const path = at.path(input, 'path') ?? at.path(input, 'file_path');
    if (path === undefined) throw at.misread('`path` is missing');
    return { tool: 'edit', paths: [resolve(cwd, path)] };
  }
  const command = at.text(input, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  // All arguments are replaced, so that each has to be there again.
  const rewritten = (other: string) => ({ ...input, command: other });
  return { tool: 'shell', command, edited: [], rewritten };
}

const inputOf = (payload: JsonObject): unknown => payload.toolArgs ?? payload.tool_input;

/** Some versions send them as the text of a JSON object. */
function argumentsOf(payload: JsonObject): JsonObject {
  const input = inputOf(payload);
  const object = typeof input === 'string' ? parsedJson(input) : input;
  if (!isJsonObject(object)) throw at.misread('`toolArgs` is no JSON object');
  return object;
}

function patchOf(payload: JsonObject): string {
  const input = inputOf(payload);
  const patch = isJsonObject(input) ? (input.input ?? input.patch) : input;
  if (typeof patch !== 'string') throw at.misread('the patch is no text');
  return patch;
}

/** `server-tool`, or `server/tool`. Servers have dashes in their names, and most tools have underscores. */
function serverTool(name: string, payload: JsonObject): ToolCall | undefined {
  const [, server, tool] =
    /^([^/]+)\/(.+)$/s.exec(name) ??
    /^(.+)-([^-]*_[^-]*)$/s.exec(name) ??
    /^([^-]+)-(.+)$/s.exec(name) ??
    [];
  if (server === undefined || tool === undefined) return undefined;
  const input = inputOf(payload);
  return { tool: 'mcp', server, name: tool, input: isJsonObject(input) ? input : {} };
}

/**
 * A denial is said twice: the exit code refuses even if the JSON is lost, and without the JSON the model
 * would not see the reason.
 */
function withDecision(decision: 'deny' | 'ask', reason: string): HookOutput {
  const answer = { permissionDecision: decision, permissionDecisionReason: shortened(reason) };
  return jsonOutput(answer, decision === 'deny' ? 2 : 0);
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
  return jsonOutput({ additionalContext: shortened(context) });
}
