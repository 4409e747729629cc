/**
 * The payloads that lanehold's plugin for OpenCode sends, and the answers that it carries out.
 * `plugin.ts` runs inside of the client and starts the hook program.
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import { agentHooks, jsonOutput } from '../kit/hooks.ts';
import { payloadReader } from '../kit/payload.ts';
import { wholeList } from '../kit/tasks.ts';
import type { HookOutput, ToolCall } from '../types.ts';
import { type PluginAnswer, READING_TOOLS, TOOLS } from './payload.ts';

const at = payloadReader('OpenCode', TOOLS);

export const opencodeHooks = agentHooks(at, {
  events: { 'before-tool': 'tool.execute.before' },
  capabilities: {
    ...USUAL,
    takesContext: ['session-start', 'prompt-submit', 'before-tool', 'after-tool'],
    rewritesInput: ['before-tool'],
    shellTime: { defaultMs: 120_000, variable: 'OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS' },
    // The plugin refuses a possible release if the hook program fails or takes too long.
    blocksAfter: [],
    cannotSee: ['a command that the user types after `!`'],
    knownFrom: 'real client',
  },
  // Only the payload counts: variables of another agent may be in the environment.
  sends: ({ hook, directory }) => typeof hook === 'string' && typeof directory === 'string',
  answers: {
    told: (_event, context) => answered({ context }),
    denied: (_event, deny) => answered({ deny }, 2),
    rewritten: (_event, args, context) => answered({ args, context }),
  },
  maxUnits: Number.POSITIVE_INFINITY,
  read(event, payload, processCwd, env) {
    const directory = resolve(processCwd, at.path(payload, 'directory') ?? '.');
    const session = at.text(payload, 'session') ?? '';
    const moment = { session, cwd: directory };
    const recorded = { ...moment, transcript: `${databaseFile(env)}#${session}` };
    const { start, tool } = payload;
    const args = isJsonObject(payload.args) ? payload.args : {};
    if (event === 'session-start') {
      const source = start === 'resumed' || start === 'compacted' ? start : 'new';
      return { ...recorded, kind: event, source };
    }
    if (event === 'prompt-submit') {
      return { ...moment, kind: event, prompt: spoken(at.text(payload, 'prompt')) };
    }
    const change =
      event === 'after-tool' && tool === TASK_TOOL ? wholeList(args.todos, 'content') : undefined;
    if (change !== undefined) return { ...moment, kind: 'tasks', change };
    const isShell = TOOLS.shell.some((it) => it === tool);
    const cwd = resolve(directory, (isShell && at.path(args, 'workdir')) || '.');
    const call = () => toolCall(payload, args, directory);
    return at.usual(event, payload, { moment: { session, cwd }, recorded, call });
  },
});

const [TASK_TOOL] = TOOLS.tasks;

const answered = (answer: PluginAnswer, exitCode = 0): HookOutput => jsonOutput(answer, exitCode);

/** The client's database of sessions. The path is absolute if HOME, or the client's own variables, are. */
export function databaseFile({ HOME = '', OPENCODE_DB, XDG_DATA_HOME }: NodeJS.ProcessEnv): string {
  const data = resolve(XDG_DATA_HOME || `${HOME}/.local/share`, 'opencode');
  return resolve(data, OPENCODE_DB || 'opencode.db');
}

/** `opencode run` puts a prompt of several words in quotes. */
function spoken(prompt: string | undefined): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(prompt?.trim() ?? '')?.[1];
  return quoted?.replaceAll('\\"', '"') ?? prompt;
}

function toolCall(payload: JsonObject, input: JsonObject, directory: string): ToolCall {
  const name = at.name(payload, 'tool');
  const call = at.callOf(name, input, directory);
  if (call.tool !== 'other') return call;
  // The name is `server_tool`: without the name of a server, the part before the first `_` is taken for it.
  const end = at.text(payload, 'server')?.length ?? name.indexOf('_');
  if (end < 1 || name === TASK_TOOL || READING_TOOLS.includes(name)) return call;
  return { tool: 'mcp', server: name.slice(0, end), name: name.slice(end + 1), input };
}
