/**
 * The payloads that Windsurf sends to hooks, and the answers that it takes. Cascade reads an exit code and
 * what is on stderr, and nothing else; Devin Local reads JSON.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { jsonOutput, refusedOnStderr, renderer, specific } from '../kit/hook-output.ts';
import { isPath, payloadReader, serverTool } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, LOCAL_EVENTS, SHELL_TOOL } from './capabilities.ts';

const at = payloadReader('Windsurf');

export const windsurfAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (event, text) => jsonOutput(specific(LOCAL_EVENTS[event], { additionalContext: text })),
    // If it cannot be told who asks, the exit code counts for both.
    denied: (_event, reason, payload) =>
      isLocal(objectOr(payload) ?? {})
        ? jsonOutput({ decision: 'block', reason })
        : refusedOnStderr(reason),
  }),
};

const isLocal = (payload: JsonObject): boolean => typeof payload.hook_event_name === 'string';

function read(
  event: EventName,
  payload: JsonObject,
  processCwd: string,
  env: Environment,
): HookEvent | undefined {
  const { session, cwd, call } = isLocal(payload)
    ? ofLocal(payload, resolve(processCwd, env.DEVIN_PROJECT_DIR || '.'))
    : ofCascade(payload, processCwd);
  const moment = { session, cwd };
  // What the client says of a prompt is not what the person wrote.
  if (event === 'prompt-submit') return { ...moment, kind: event };
  return at.usual(event, payload, { moment, recorded: moment, call });
}

interface SentCall {
  readonly session: string;
  readonly cwd: string;
  /** @throws {PayloadError} if there is none. */
  readonly call: () => ToolCall;
}

/** Hooks start in the folder of the workspace; only commands name one of their own. */
function ofCascade(payload: JsonObject, workspace: string): SentCall {
  const session = at.text(payload, 'trajectory_id') ?? '';
  const info = objectOr(payload.tool_info) ?? {};
  const cwd = isPath(info.cwd) ? resolve(workspace, info.cwd) : workspace;
  const call = (): ToolCall => {
    const action = at.name(payload, 'agent_action_name');
    if (action.endsWith('_run_command')) return shell(at.command(info, 'command_line'));
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

function ofLocal(payload: JsonObject, workspace: string): SentCall {
  const { cwd, moment } = at.origin(payload, workspace);
  const call = (): ToolCall => {
    const name = at.name(payload, 'tool_name');
    const input = objectOr(payload.tool_input);
    if (name === SHELL_TOOL) return shell(at.command(input));
    const path = EDIT_TOOLS.includes(name) ? (input?.file_path ?? input?.path) : undefined;
    if (isPath(path)) return { tool: 'edit', paths: [resolve(cwd, path)] };
    return serverTool(name, /^mcp__(.+?)__(.+)$/s, input);
  };
  return { session: moment.session, cwd, call };
}

const shell = (command: string): ToolCall => ({ tool: 'shell', command, edited: [] });
