/**
 * The payloads that Codex sends to hooks, and the answers that it takes. It checks answers against closed
 * schemas: one key too many, or a line before the JSON, and the command runs.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 *
 * @see https://learn.chatgpt.com/docs/hooks
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { clippedText, jsonOutput, questionAsDenial, SILENT } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, ToolCall } from '../types.ts';
import { CAPABILITIES, EVENTS, PATCH_TOOL, SHELL_TOOL } from './capabilities.ts';

/** In UTF-16 units. Of a text of more than 2,500 tokens the model sees only the ends. */
const MAX_TEXT_UNITS = 8_000;

const at = payloadReader('Codex');

export const codexAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply) {
    if (reply.decision === 'none') return withContext(event, reply.context);
    if (reply.decision === 'rewrite') return denied(event, reply.context);
    const { decision, reason } = reply;
    return denied(event, decision === 'ask' ? questionAsDenial(reason) : reason);
  },
};

function read(event: EventName, payload: unknown, processCwd: string): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  // The process runs where the session began, and a command where the model wants it.
  const cwd = resolve(processCwd, at.path(payload, 'cwd') ?? '.');
  if (!OF_TOOLS.includes(event) && MEMORIES.test(cwd)) return undefined;
  const transcript = payload.transcript_path;
  const moment = {
    session: at.text(payload, 'session_id') ?? '',
    cwd,
    ...(isPath(transcript) ? { transcript } : {}),
  };

  switch (event) {
    case 'session-start':
      return { ...moment, kind: event, source: sessionSource(payload.source) };
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: at.text(payload, 'prompt') };
    case 'before-compact':
      return { ...moment, kind: event };
    case 'before-tool':
      return { ...moment, kind: event, call: toolCall(payload, cwd) };
    case 'after-tool':
      return { ...moment, kind: event, call: toolCall(payload, cwd), failed: false };
    case 'stop':
      return {
        ...{ ...moment, kind: event, continued: payload.stop_hook_active === true },
        said: at.text(payload, 'last_assistant_message'),
      };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    default:
      return undefined;
  }
}

/** The client writes its own memories in sessions in the background, which run the hooks as well. */
const MEMORIES = /\/\.codex\/memories$/;
/** The model of any session chooses the folder of a command: that folder must not lift a hold. */
const OF_TOOLS: readonly EventName[] = ['before-tool', 'after-tool'];

/** An unknown source counts as new, so that the agent is told what is held. */
function sessionSource(source: unknown): 'new' | 'resumed' | 'cleared' | 'compacted' {
  if (source === 'resume' || source === 'fork') return 'resumed';
  if (source === 'clear') return 'cleared';
  return source === 'compact' ? 'compacted' : 'new';
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.text(payload, 'tool_name');
  if (!name) throw at.misread('`tool_name` is missing');
  const input = payload.tool_input;
  if (name !== SHELL_TOOL && name !== PATCH_TOOL) {
    return serverTool(name, input) ?? { tool: 'other', name };
  }
  if (!isJsonObject(input)) throw at.misread('`tool_input` is no JSON object');
  const command = at.text(input, 'command');
  if (command === undefined) throw at.misread('`command` is missing');
  if (name === PATCH_TOOL) return { tool: 'edit', paths: patchedPaths(command, cwd) };
  return { tool: 'shell', command, edited: [] };
}

/** `mcp__server__tool`. */
function serverTool(name: string, input: unknown): ToolCall | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  return { tool: 'mcp', server, name: tool, input: isJsonObject(input) ? input : {} };
}

/**
 * The exit code denies with the reason on stderr, whatever becomes of stdout; without a reason the command
 * would run.
 */
function denied(event: EventName, reason: string): HookOutput {
  if (!CAPABILITIES.denies.includes(event)) return withContext(event, reason);
  return { stdout: '', stderr: clippedText(reason, MAX_TEXT_UNITS), exitCode: 2 };
}

function withContext(event: EventName, context: string | undefined): HookOutput {
  if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
  const additionalContext = clippedText(context, MAX_TEXT_UNITS);
  return jsonOutput({ hookSpecificOutput: { hookEventName: EVENTS[event], additionalContext } });
}
