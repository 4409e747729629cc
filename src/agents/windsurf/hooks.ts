/**
 * The payloads that Windsurf sends to hooks, and the answers that it takes. It has two agents with hook files and
 * payloads of their own: Cascade reads only an exit code and stderr; Devin Local reads JSON.
 */
import { resolve } from 'node:path';
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import { agentHooks, jsonOutput, refusedOnStderr, specificAnswers } from '../kit/hooks.ts';
import { edited, isPath, MCP_TOOL, payloadReader, shell } from '../kit/payload.ts';
import type { ToolCall } from '../types.ts';

/** The tools are those of Devin Local. */
const at = payloadReader('Windsurf', {
  shell: ['exec'],
  edit: ['edit', 'write'],
  path: ['file_path', 'path'],
  server: MCP_TOOL,
  isInputOptional: true,
});

/** Names of Devin Local, in settings and answers. */
export const LOCAL_EVENTS = {
  'session-start': 'SessionStart',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'prompt-submit': 'UserPromptSubmit',
  stop: 'Stop',
  'session-end': 'SessionEnd',
};

export const windsurfHooks = agentHooks(at, {
  // Names of Cascade.
  events: {
    'before-tool': ['pre_run_command', 'pre_write_code', 'pre_mcp_tool_use'],
    'after-tool': 'post_write_code',
    'prompt-submit': 'pre_user_prompt',
    stop: 'post_cascade_response',
  },
  capabilities: {
    ...USUAL,
    // Only Devin Local takes text: Cascade has no such event, and takes text at none.
    takesContext: ['session-start'],
    subAgents: 'none',
    cannotSee: [
      'the start and the end of a session of Cascade',
      'a command that the user types into a terminal of their own',
    ],
    knownFrom: 'documentation',
  },
  sends: ({ agent_action_name: action }) => typeof action === 'string',
  answers: {
    told: specificAnswers(LOCAL_EVENTS).told,
    // If the sender is unknown, the exit code counts for both.
    denied: (_event, reason, payload) =>
      isLocal(objectOr(payload) ?? {})
        ? jsonOutput({ decision: 'block', reason })
        : refusedOnStderr(reason),
  },
  read(event, payload, processCwd, env) {
    const { moment, call } = isLocal(payload)
      ? at.origin(payload, resolve(processCwd, env.DEVIN_PROJECT_DIR || '.'))
      : ofCascade(payload, processCwd);
    // The client sends no text that the person wrote.
    if (event === 'prompt-submit') return { ...moment, kind: event };
    return at.usual(event, payload, { moment, recorded: moment, call });
  },
});

const isLocal = (payload: JsonObject): boolean => typeof payload.hook_event_name === 'string';

/** The workspace is the folder of the hook process; only commands name a folder of their own. */
function ofCascade(payload: JsonObject, workspace: string) {
  const session = at.text(payload, 'trajectory_id') ?? '';
  const info = objectOr(payload.tool_info) ?? {};
  const cwd = isPath(info.cwd) ? resolve(workspace, info.cwd) : workspace;
  const call = (): ToolCall => {
    const action = at.name(payload, 'agent_action_name');
    if (action.endsWith('_run_command')) return shell(at.command(info, 'command_line'));
    if (action.endsWith('_write_code') && isPath(info.file_path)) {
      return edited(resolve(cwd, info.file_path));
    }
    if (!action.endsWith('_mcp_tool_use')) return { tool: 'other', name: action };
    return {
      tool: 'mcp',
      server: at.text(info, 'mcp_server_name') ?? '',
      name: at.text(info, 'mcp_tool_name') ?? '',
      input: objectOr(info.mcp_tool_arguments) ?? {},
    };
  };
  return { moment: { session, cwd }, call };
}
