/**
 * The payloads that Antigravity sends to hooks from version 1.1.28 on, and the answers that it takes.
 *
 * Before a tool it denies any answer that it does not understand: `{}`, words of other clients, every exit code but 0.
 * Before a call of the model, a field that it does not know ends the turn.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { at as field, isJsonObject, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import { agentHooks, jsonOutput, SILENT } from '../kit/hooks.ts';
import { edited, isPath, payloadReader, shell } from '../kit/payload.ts';
import type { EventName, ToolCall } from '../types.ts';

export const SERVER_TOOL = 'call_mcp_tool';

const at = payloadReader('Antigravity', {
  shell: ['run_command'],
  edit: ['write_to_file', 'replace_file_content', 'multi_replace_file_content'],
});

const ANSWERED: readonly EventName[] = ['prompt-submit', 'after-tool', 'stop'];

export const antigravityHooks = agentHooks(at, {
  // `PreInvocation` comes before each call of the model.
  events: {
    'prompt-submit': 'PreInvocation',
    'before-tool': 'PreToolUse',
    'after-tool': 'PostToolUse',
    stop: 'Stop',
  },
  capabilities: {
    ...USUAL,
    // It has no question that can be used: `ask` loses to an earlier permission of the user, and to
    // a flag; `force_ask` was never measured.
    takesContext: ['prompt-submit'],
    // Its input is not replaced: it takes an input only together with a decision, and nothing says
    // which decision would still leave the user's rules in force.
    blocksAfter: ['crash', 'time-out'],
    cannotSee: ['that a turn was broken off by Esc or by its time limit', 'a compaction'],
    knownFrom: 'documentation',
  },
  sends: ({ conversationId, toolCall, workspacePaths }) =>
    typeof conversationId === 'string' && (isJsonObject(toolCall) || Array.isArray(workspacePaths)),
  answers: {
    // No answer lets a call go on under the user's own rules; `allow` would remove their questions.
    silence: (event) => (ANSWERED.includes(event) ? jsonOutput({}) : SILENT),
    // The text is forgotten after this call.
    told: (_event, text) => jsonOutput({ injectSteps: [{ ephemeralMessage: text }] }),
    denied: (_event, reason) => jsonOutput({ decision: 'deny', reason }),
  },
  read(event, payload) {
    const session = at.text(payload, 'conversationId') ?? '';
    if (event === 'before-tool') return { ...toolMoment(payload), session, kind: event };
    if (event === 'after-tool') {
      // The editor does not say which tool it was.
      if (!isJsonObject(payload.toolCall)) return undefined;
      const failed = (at.text(payload, 'error') ?? '') !== '';
      return { ...toolMoment(payload), session, kind: event, failed };
    }
    const cwd = workspaceOf(payload);
    if (cwd === undefined) return undefined;
    const { transcriptPath } = payload;
    const transcript = isPath(transcriptPath) ? { transcript: resolve(transcriptPath) } : {};
    const moment = { ...transcript, session, cwd };
    if (event === 'prompt-submit') {
      // The first call of a turn gets the whole text, because the text of an earlier one is forgotten.
      return payload.invocationNum === 0
        ? { ...moment, kind: 'session-start', source: 'new' }
        : { ...moment, kind: event };
    }
    // Another end of the turn follows if a tool still runs in the background.
    if (event !== 'stop' || payload.fullyIdle === false) return undefined;
    return { ...moment, kind: event, continued: false };
  },
});

/** The folder of the process cannot be used instead: it is that of the settings. */
function workspaceOf({ workspacePaths }: JsonObject): string | undefined {
  const [first] = Array.isArray(workspacePaths) ? workspacePaths : [];
  return isPath(first) && isAbsolute(first) ? first : undefined;
}

function toolMoment(payload: JsonObject): { readonly call: ToolCall; readonly cwd: string } {
  const { toolCall } = payload;
  if (!isJsonObject(toolCall)) throw at.misread('`toolCall` is missing');
  const name = at.name(toolCall, 'name');
  const args = isJsonObject(toolCall.args) ? toolCall.args : {};
  const workspace = workspaceOf(payload);
  if (at.tools.shell.includes(name)) {
    const call = shell(at.command(args, 'CommandLine'));
    return { cwd: within(workspace, at.path(args, 'Cwd') ?? '.'), call };
  }
  if (at.tools.edit.includes(name)) {
    const file = within(workspace, at.file(args, 'TargetFile'));
    return { cwd: workspace ?? dirname(file), call: edited(file) };
  }
  const call = name === SERVER_TOOL ? serverTool(args) : { tool: 'other' as const, name };
  return { cwd: workspace ?? '/', call };
}

function within(workspace: string | undefined, path: string): string {
  if (isAbsolute(path)) return resolve(path);
  if (workspace === undefined) throw at.misread('it names no folder');
  return resolve(workspace, path);
}

/** The call is documented as a server, a tool and arguments; the spelling of the fields is not. */
function serverTool(args: JsonObject): ToolCall {
  const value = (name: RegExp) => Object.entries(args).find(([key]) => name.test(key))?.[1];
  const text = (name: RegExp) => String(value(name) ?? '');
  const given = value(/^arg(?:ument)?s/i);
  const input = typeof given === 'string' ? parsedObject(given) : field.object({ given }, 'given');
  return { tool: 'mcp', server: text(/^server/i), name: text(/^tool/i), input: input ?? {} };
}
