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
import { jsonOutput, renderer } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { payloadReader, serverTool } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, HookOutput, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, PATCH_TOOL, SHELL_TOOLS, TASK_TOOL } from './capabilities.ts';
import { taskChange } from './task-table.ts';

const at = payloadReader('Copilot CLI', 'both');

export const copilotCliAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    told: (_event, text) => jsonOutput({ additionalContext: text }),
    // Said twice: the exit code refuses even if the JSON is lost, and without the JSON the model would not see
    // the reason.
    denied: (_event, reason) => ({ ...decided('deny', reason), exitCode: 2 }),
    asked: (_event, reason) => decided('ask', reason),
    rewritten: (_event, input, text) =>
      jsonOutput({ modifiedArgs: input, additionalContext: text }),
  }),
};

const decided = (decision: 'deny' | 'ask', reason: string): HookOutput =>
  jsonOutput({ permissionDecision: decision, permissionDecisionReason: reason });

function read(event: EventName, payload: JsonObject, processCwd: string): HookEvent | undefined {
  const { cwd, moment, recorded } = at.origin(payload, processCwd);
  if (event === 'after-tool' && at.text(payload, 'tool_name') === TASK_TOOL) {
    const change = taskChange(at.text(argumentsOf(payload), 'query') ?? '');
    return change && { ...moment, kind: 'tasks', change };
  }
  return at.usual(event, payload, { moment, recorded, call: () => toolCall(payload, cwd) });
}

function toolCall(payload: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  if (name === PATCH_TOOL) return { tool: 'edit', paths: patchedPaths(patchOf(payload), cwd) };
  const isShell = SHELL_TOOLS.includes(name);
  if (!isShell && !EDIT_TOOLS.includes(name))
    return serverTool(name, formOf(name), inputOf(payload));
  const input = argumentsOf(payload);
  if (!isShell) {
    const path = at.path(input, 'path') ?? at.file(input, 'file_path');
    return { tool: 'edit', paths: [resolve(cwd, path)] };
  }
  const command = at.command(input);
  // All arguments are replaced, so that each has to be there again.
  const rewritten = (other: string) => ({ ...input, command: other });
  return { tool: 'shell', command, edited: [], rewritten };
}

const inputOf = (payload: JsonObject): unknown => payload.toolArgs ?? payload.tool_input;

/** Some versions send them as the text of a JSON object. */
function argumentsOf(payload: JsonObject): JsonObject {
  const input = inputOf(payload);
  return at.object(typeof input === 'string' ? parsedJson(input) : input, 'toolArgs');
}

function patchOf(payload: JsonObject): string {
  const input = inputOf(payload);
  const patch = isJsonObject(input) ? (input.input ?? input.patch) : input;
  if (typeof patch !== 'string') throw at.misread('the patch is no text');
  return patch;
}

/** `server-tool`, or `server/tool`. Servers have dashes in their names, and most tools have underscores. */
function formOf(name: string): RegExp {
  const forms = [/^([^/]+)\/(.+)$/s, /^(.+)-([^-]*_[^-]*)$/s];
  return forms.find((it) => it.test(name)) ?? /^([^-]+)-(.+)$/s;
}
