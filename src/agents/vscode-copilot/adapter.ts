/**
 * The payloads that VS Code sends to hooks for its local sessions, and the answers that it takes. It runs the
 * hook files of two other clients, and asks each of their hooks about every tool.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { jsonOutput, renderer, specific } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { isPath, payloadReader, serverTool } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, EVENTS, PATCH_TOOL, SHELL_TOOLS } from './capabilities.ts';

/** Manuals differ in how they spell fields. */
const at = payloadReader('VS Code', 'both');

export const vscodeCopilotAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (event, text) => answer(event, { additionalContext: text }),
    // The exit code denies even if the JSON is lost.
    denied: (event, reason) => ({ ...decided(event, 'deny', reason), stderr: reason, exitCode: 2 }),
    asked: (event, reason) => decided(event, 'ask', reason),
  }),
};

/** The client drops an answer with another name than that of the event. */
const answer = (event: EventName, fields: object): HookOutput =>
  jsonOutput(specific(EVENTS[event], fields));

const decided = (event: EventName, decision: 'deny' | 'ask', reason: string): HookOutput =>
  answer(event, { permissionDecision: decision, permissionDecisionReason: reason });

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  const { cwd, ...known } = at.origin(payload, processCwd);
  return at.usual(event, payload, { ...known, call: () => toolCall(payload, cwd) });
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  const input = objectOr(at.value(payload, 'tool_input'));
  const paths = editedPaths(name, input, cwd);
  if (paths.length > 0) return { tool: 'edit', paths };
  const isEdit = name === PATCH_TOOL || EDIT_TOOLS.includes(name);
  const command = input?.command;
  if (!isEdit && typeof command === 'string') return { tool: 'shell', command, edited: [] };
  if (SHELL_TOOLS.includes(name)) throw at.misread('`command` is missing');
  return serverTool(name, /^mcp_([^_]+)_(.+)$/s, input);
}

function editedPaths(name: string, input: JsonObject | undefined, cwd: string): readonly string[] {
  if (name === PATCH_TOOL) return patchedPaths(String(input?.input ?? ''), cwd);
  if (!EDIT_TOOLS.includes(name)) return [];
  const { filePath, files, replacements } = input ?? {};
  const each = [files, replacements].flatMap((it) => (Array.isArray(it) ? it : []));
  const named = each.map((it: unknown) => objectOr(it)?.filePath ?? it);
  return [...new Set([filePath, ...named].filter(isPath).map((it) => resolve(cwd, it)))];
}
