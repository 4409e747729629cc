/**
 * The payloads that our plugin for OpenCode sends, and the answers that it carries out.
 *
 * On the hook path: imports nothing but types, `node:path` and the reading of payloads.
 */
import { resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { jsonOutput, renderer } from '../kit/hook-output.ts';
import { patchedPaths } from '../kit/patch.ts';
import { payloadReader } from '../kit/payload.ts';
import { wholeList } from '../kit/tasks.ts';
import type {
  AgentAdapter,
  EventName,
  HookEvent,
  HookOutput,
  TaskChange,
  ToolCall,
} from '../types.ts';
import {
  CAPABILITIES,
  EDIT_TOOLS,
  PATCH_TOOLS,
  READING_TOOLS,
  SHELL_TOOL,
  TASK_TOOL,
} from './capabilities.ts';
import { databaseFile } from './database.ts';
import type { PluginAnswer } from './payload.ts';

const at = payloadReader('OpenCode');

export const opencodeAdapter: AgentAdapter = {
  parse: at.parser(read),
  render: renderer(
    CAPABILITIES,
    {
      told: (_event, context) => answered({ context }),
      denied: (_event, deny) => answered({ deny }, 2),
      rewritten: (_event, args, context) => answered({ args, context }),
    },
    Number.POSITIVE_INFINITY,
  ),
};

const answered = (answer: PluginAnswer, exitCode = 0): HookOutput => jsonOutput(answer, exitCode);

function read(
  event: EventName,
  payload: JsonObject,
  processCwd: string,
  env: Environment,
): HookEvent | undefined {
  const cwd = resolve(processCwd, at.path(payload, 'directory') ?? '.');
  const moment = { session: at.text(payload, 'session') ?? '', cwd };
  const recorded = { ...moment, transcript: `${databaseFile(env)}#${moment.session}` };

  switch (event) {
    case 'session-start':
      return { ...recorded, kind: event, source: sessionSource(payload.start) };
    case 'before-tool':
      return { ...moment, kind: event, ...toolCall(payload, cwd) };
    case 'after-tool': {
      const change = taskChange(payload);
      if (change !== undefined) return { ...moment, kind: 'tasks', change };
      return { ...moment, kind: event, failed: false, ...toolCall(payload, cwd) };
    }
    case 'prompt-submit':
      return { ...moment, kind: event, prompt: spoken(at.text(payload, 'prompt')) };
    default:
      return at.usual(event, payload, {
        moment,
        recorded,
        call: () => toolCall(payload, cwd).call,
      });
  }
}

/** `opencode run` puts a prompt of several words in quotes. */
function spoken(prompt: string | undefined): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(prompt?.trim() ?? '')?.[1];
  return quoted?.replaceAll('\\"', '"') ?? prompt;
}

function sessionSource(start: unknown): 'new' | 'resumed' | 'compacted' {
  return start === 'resumed' || start === 'compacted' ? start : 'new';
}

/** The call, and the folder that a command runs in, where it names one. */
function toolCall(
  payload: JsonObject,
  directory: string,
): { readonly call: ToolCall; readonly cwd: string } {
  const name = at.name(payload, 'tool');
  const args = isJsonObject(payload.args) ? payload.args : {};
  if (name === SHELL_TOOL) {
    const cwd = resolve(directory, at.path(args, 'workdir') ?? '.');
    return { cwd, call: shellCall(args) };
  }
  const call = editCall(name, args, directory) ?? otherCall(name, args, at.text(payload, 'server'));
  return { cwd: directory, call };
}

function shellCall(args: JsonObject): ToolCall {
  const command = at.command(args);
  const timeLimitMs = typeof args.timeout === 'number' ? args.timeout : undefined;
  const rewritten = (other: string) => ({ ...args, command: other });
  return { tool: 'shell', command, edited: [], timeLimitMs, rewritten };
}

function editCall(name: string, args: JsonObject, directory: string): ToolCall | undefined {
  if (PATCH_TOOLS.includes(name)) {
    return { tool: 'edit', paths: patchedPaths(at.text(args, 'patchText') ?? '', directory) };
  }
  if (!EDIT_TOOLS.includes(name)) return undefined;
  return { tool: 'edit', paths: [resolve(directory, at.file(args, 'filePath'))] };
}

/** `server_tool`: without the name of a server, what stands before the first `_` is taken for it. */
function otherCall(name: string, input: JsonObject, known: string | undefined): ToolCall {
  const end = known?.length ?? name.indexOf('_');
  if (end < 1 || name === TASK_TOOL || READING_TOOLS.includes(name)) return { tool: 'other', name };
  return { tool: 'mcp', server: name.slice(0, end), name: name.slice(end + 1), input };
}

function taskChange({ tool, args }: JsonObject): TaskChange | undefined {
  return tool === TASK_TOOL ? wholeList(objectOr(args)?.todos, 'content') : undefined;
}
