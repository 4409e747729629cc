/**
 * The payloads that Grok Build sends to hooks, and the answers that it takes.
 *
 * Its names are in camelCase; newer versions add most of them in snake_case, as another client writes
 * them, whose hook files it runs as well.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '../../base/text/json.ts';
import { jsonOutput, renderer, specific } from '../kit/hook-output.ts';
import { payloadReader, serverTool } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, EVENTS, SHELL_TOOLS } from './capabilities.ts';

const at = payloadReader('Grok Build', 'both');

export const grokAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (event, text) => jsonOutput(specific(EVENTS[event]?.[0], { additionalContext: text })),
    // Said in three ways. Versions before 1.0.40 read the outer words only, and later ones prefer the inner; the
    // exit code denies even if the JSON is lost, and then the reason is what is on stderr.
    denied: (event, reason) => {
      const inner = { permissionDecision: 'deny', permissionDecisionReason: reason };
      const answer = { decision: 'deny', reason, ...specific(EVENTS[event]?.[0], inner) };
      return { ...jsonOutput(answer, 2), stderr: reason };
    },
  }),
};

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  const root = resolve(processCwd, at.path(payload, 'workspace_root') ?? '.');
  const { cwd, ...known } = at.origin(payload, root);
  return at.usual(event, payload, { ...known, call: () => toolCall(payload, cwd) });
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  const given = at.value(payload, 'tool_input');
  const isShell = SHELL_TOOLS.includes(name);
  if (!isShell && !EDIT_TOOLS.includes(name)) return serverTool(name, /^(.+?)__(.+)$/s, given);
  const input = at.object(given, 'tool_input');
  if (!isShell) {
    const path = at.file(input, 'file_path');
    return { tool: 'edit', paths: [isAbsolute(path) ? path : resolve(cwd, path)] };
  }
  const command = at.command(input);
  if (payload.toolInputTruncated === true) throw at.misread('the command is cut short');
  const timeLimitMs = typeof input.timeout === 'number' ? input.timeout : undefined;
  return { tool: 'shell', command, edited: [], timeLimitMs };
}
