/**
 * The payloads that Codex sends to hooks, and the answers that it takes. It checks answers against closed
 * schemas: one key too many, or a line before the JSON, and the command runs.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 *
 * @see https://learn.chatgpt.com/docs/hooks
 */
import type { JsonObject } from '../../base/text/json.ts';
import { jsonOutput, refusedOnStderr, renderer, specific } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { payloadReader, serverTool } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';
import { CAPABILITIES, EVENTS, PATCH_TOOL, SHELL_TOOL } from './capabilities.ts';

/** In UTF-16 units. Of a text of more than 2,500 tokens the model sees only the ends. */
const MAX_TEXT_UNITS = 8_000;

const at = payloadReader('Codex');

export const codexAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(
    CAPABILITIES,
    {
      told: (event, text) => jsonOutput(specific(EVENTS[event], { additionalContext: text })),
      // Whatever becomes of stdout; without a reason the command would run.
      denied: (_event, reason) => refusedOnStderr(reason),
    },
    MAX_TEXT_UNITS,
  ),
};

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  // The process runs where the session began, and a command where the model wants it.
  const { cwd, recorded } = at.origin(payload, processCwd);
  if (!OF_TOOLS.includes(event) && MEMORIES.test(cwd)) return undefined;
  const known = { moment: recorded, recorded, said: 'last_assistant_message' };
  return at.usual(event, payload, { ...known, call: () => toolCall(payload, cwd) });
}

/** The client writes its own memories in sessions in the background, which run the hooks as well. */
const MEMORIES = /\/\.codex\/memories$/;
/** The model of any session chooses the folder of a command: that folder must not lift a hold. */
const OF_TOOLS: readonly EventName[] = ['before-tool', 'after-tool'];

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  if (name !== SHELL_TOOL && name !== PATCH_TOOL) {
    return serverTool(name, /^mcp__(.+?)__(.+)$/s, payload.tool_input);
  }
  const command = at.command(at.object(payload.tool_input, 'tool_input'));
  if (name === PATCH_TOOL) return { tool: 'edit', paths: patchedPaths(command, cwd) };
  return { tool: 'shell', command, edited: [] };
}
