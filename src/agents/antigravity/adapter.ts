/**
 * The payloads that Antigravity sends to hooks, and the answers that it takes.
 *
 * Before a tool it denies whatever it does not understand: `{}`, words of other clients, every exit code
 * but 0. Before a call of the model, a field that it does not know ends the turn.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { at as field, isJsonObject, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { jsonOutput, renderer, SILENT } from '../kit/hook-output.ts';
import { isPath, payloadReader } from '../kit/payload.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';
import { CAPABILITIES, EDIT_TOOLS, SERVER_TOOL, SHELL_TOOL } from './capabilities.ts';

const at = payloadReader('Antigravity');

export const antigravityAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(CAPABILITIES, {
    // Nothing at all lets a call go on under the user's own rules; `allow` would take their questions away.
    silence: (event) => (ANSWERED.includes(event) ? jsonOutput({}) : SILENT),
    // The text is gone after this one call.
    told: (_event, text) => jsonOutput({ injectSteps: [{ ephemeralMessage: text }] }),
    denied: (_event, reason) => jsonOutput({ decision: 'deny', reason }),
  }),
};

const ANSWERED: readonly EventName[] = ['prompt-submit', 'after-tool', 'stop'];

function read(event: EventName, payload: JsonObject): HookEvent | undefined {
  const session = at.text(payload, 'conversationId') ?? '';
  const { transcriptPath } = payload;
  const transcript = isPath(transcriptPath) ? { transcript: resolve(transcriptPath) } : {};

  switch (event) {
    case 'before-tool':
      return { ...toolMoment(payload), session, kind: event };
    case 'after-tool': {
      // The editor does not say which tool it was.
      if (!isJsonObject(payload.toolCall)) return undefined;
      const failed = (at.text(payload, 'error') ?? '') !== '';
      return { ...toolMoment(payload), session, kind: event, failed };
    }
    case 'prompt-submit': {
      const cwd = workspaceOf(payload);
      if (cwd === undefined) return undefined;
      const moment = { ...transcript, session, cwd };
      // The first call of a turn is told all, because what an earlier one was told is gone.
      return payload.invocationNum === 0
        ? { ...moment, kind: 'session-start', source: 'new' }
        : { ...moment, kind: event };
    }
    case 'stop': {
      const cwd = workspaceOf(payload);
      // Another end of the turn follows if a tool runs in the background.
      if (cwd === undefined || payload.fullyIdle === false) return undefined;
      return { ...transcript, session, cwd, kind: event, continued: false };
    }
    default:
      return undefined;
  }
}

/** The folder of the process is no substitute: it is the one of the settings. */
function workspaceOf({ workspacePaths }: JsonObject): string | undefined {
  const [first] = Array.isArray(workspacePaths) ? workspacePaths : [];
  return isPath(first) && isAbsolute(first) ? first : undefined;
}

function toolMoment(payload: JsonObject): { readonly call: ToolCall; readonly cwd: string } {
  const { toolCall } = payload;
  if (!isJsonObject(toolCall)) throw at.misread('`toolCall` is missing');
  const name = at.text(toolCall, 'name');
  if (!name) throw at.misread('`name` is missing');
  const args = isJsonObject(toolCall.args) ? toolCall.args : {};
  const workspace = workspaceOf(payload);
  if (name === SHELL_TOOL) {
    const command = at.text(args, 'CommandLine');
    if (command === undefined) throw at.misread('`CommandLine` is missing');
    const cwd = within(workspace, at.path(args, 'Cwd') ?? '.');
    return { cwd, call: { tool: 'shell', command, edited: [] } };
  }
  if (EDIT_TOOLS.includes(name)) {
    const path = at.path(args, 'TargetFile');
    if (path === undefined) throw at.misread('`TargetFile` is missing');
    const file = within(workspace, path);
    return { cwd: workspace ?? dirname(file), call: { tool: 'edit', paths: [file] } };
  }
  const call = name === SERVER_TOOL ? serverTool(args) : { tool: 'other' as const, name };
  return { cwd: workspace ?? '/', call };
}

function within(workspace: string | undefined, path: string): string {
  if (isAbsolute(path)) return resolve(path);
  if (workspace === undefined) throw at.misread('it names no folder');
  return resolve(workspace, path);
}

/** Documented as a server, a tool and arguments; how they are spelt is not. */
function serverTool(args: JsonObject): ToolCall {
  const value = (name: RegExp) => Object.entries(args).find(([key]) => name.test(key))?.[1];
  const text = (name: RegExp) => String(value(name) ?? '');
  const given = value(/^arg(?:ument)?s/i);
  const input = typeof given === 'string' ? parsedObject(given) : field.object({ given }, 'given');
  return {
    tool: 'mcp',
    server: text(/^server/i),
    name: text(/^tool/i),
    input: input ?? {},
  };
}
