/**
 * The payloads that Windsurf sends to hooks, and the answers that it takes. Cascade reads an exit code and
 * what is on stderr, and nothing else; Devin Local reads JSON.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { clippedText, jsonOutput, questionAsDenial, SILENT } from '../kit/hook-output.ts';
import { isPath, lenientParse, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, Reply, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, LOCAL_EVENTS, SHELL_TOOL } from './capabilities.ts';

/** In UTF-16 units; the client names no limit. */
const MAX_TEXT_UNITS = 9_900;
const shortened = (text: string) => clippedText(text, MAX_TEXT_UNITS);

const at = payloadReader('Windsurf');

export const windsurfAdapter: AgentAdapter = {
  parse: lenientParse(read),

  render(event, reply, payload) {
    if (event === 'before-tool') return beforeTool(reply, isJsonObject(payload) ? payload : {});
    const context = reply.decision === 'none' ? reply.context : undefined;
    if (!context?.trim() || !CAPABILITIES.takesContext.includes(event)) return SILENT;
    const additionalContext = shortened(context);
    return jsonOutput({
      hookSpecificOutput: { hookEventName: LOCAL_EVENTS[event], additionalContext },
    });
  },
};

function beforeTool(reply: Reply, payload: JsonObject): HookOutput {
  switch (reply.decision) {
    case 'none':
      return SILENT;
    case 'ask':
      return denied(questionAsDenial(reply.reason), payload);
    case 'deny':
      return denied(reply.reason, payload);
    case 'rewrite':
      return denied(reply.context, payload);
  }
}

/** If it cannot be told who asks, the exit code counts for both. */
function denied(text: string, payload: JsonObject): HookOutput {
  const reason = shortened(text);
  if (isLocal(payload)) return jsonOutput({ decision: 'block', reason });
  return { stdout: '', stderr: reason, exitCode: 2 };
}

const isLocal = (payload: JsonObject): boolean => typeof payload.hook_event_name === 'string';

function read(
  event: EventName,
  payload: unknown,
  processCwd: string,
  env: Environment = {},
): HookEvent | undefined {
  if (!isJsonObject(payload)) throw at.misread('it is no JSON object');
  const { session, cwd, call } = isLocal(payload)
    ? ofLocal(payload, resolve(processCwd, env.DEVIN_PROJECT_DIR || '.'))
    : ofCascade(payload, processCwd);
  const moment = { session, cwd };

  switch (event) {
    case 'before-tool':
      return { ...moment, kind: event, call: call() };
    case 'after-tool':
      return { ...moment, kind: event, call: call(), failed: false };
    case 'session-start':
      return { ...moment, kind: event, source: 'new' };
    case 'prompt-submit':
      return { ...moment, kind: event };
    case 'stop':
      return { ...moment, kind: event, continued: payload.stop_hook_active === true };
    case 'session-end':
      return { ...moment, kind: event, reason: at.text(payload, 'reason') ?? '' };
    default:
      return undefined;
  }
}

interface Read {
  readonly session: string;
  readonly cwd: string;
  /** @throws {PayloadError} if there is none. */
  readonly call: () => ToolCall;
}

/** Hooks start in the folder of the workspace; only commands name one of their own. */
function ofCascade(payload: JsonObject, workspace: string): Read {
  const session = at.text(payload, 'trajectory_id') ?? '';
  const info = objectOr(payload.tool_info) ?? {};
  const cwd = isPath(info.cwd) ? resolve(workspace, info.cwd) : workspace;
  const call = (): ToolCall => {
    const action = at.text(payload, 'agent_action_name');
    if (!action) throw at.misread('`agent_action_name` is missing');
    if (action.endsWith('_run_command')) return shell(at.text(info, 'command_line'));
    if (action.endsWith('_write_code') && isPath(info.file_path)) {
      return { tool: 'edit', paths: [resolve(cwd, info.file_path)] };
    }
    if (!action.endsWith('_mcp_tool_use')) return { tool: 'other', name: action };
    return {
      tool: 'mcp',
      server: at.text(info, 'mcp_server_name') ?? '',
      name: at.text(info, 'mcp_tool_name') ?? '',
      input: objectOr(info.mcp_tool_arguments) ?? {},
    };
  };
  return { session, cwd, call };
}

function ofLocal(payload: JsonObject, workspace: string): Read {
  const session = at.text(payload, 'session_id') ?? '';
  const cwd = resolve(workspace, at.path(payload, 'cwd') ?? '.');
  const call = (): ToolCall => {
    const name = at.text(payload, 'tool_name');
    if (!name) throw at.misread('`tool_name` is missing');
    const input = objectOr(payload.tool_input);
    if (name === SHELL_TOOL) return shell(input && at.text(input, 'command'));
    const path = EDIT_TOOLS.includes(name) ? (input?.file_path ?? input?.path) : undefined;
    if (isPath(path)) return { tool: 'edit', paths: [resolve(cwd, path)] };
    const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
    if (server === undefined || tool === undefined) return { tool: 'other', name };
    return { tool: 'mcp', server, name: tool, input: input ?? {} };
  };
  return { session, cwd, call };
}

function shell(command: string | undefined): ToolCall {
  if (command === undefined) throw at.misread('the command is missing');
  return { tool: 'shell', command, edited: [] };
}
