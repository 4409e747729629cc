/** Reads what an agent sent: any JSON value, in which every field has to be checked. */
import { resolve } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';

/** A payload that cannot be understood. Before a tool, the hook then denies what may be a release. */
export class PayloadError extends ExplainedError {
  override readonly code = 'PAYLOAD';

  constructor(agent: string, what: string) {
    super(`the payload from ${agent} cannot be understood: ${what}`, {
      hint: 'update lanehold, or run `lanehold doctor`',
    });
  }
}

/** A text that can be a path: not empty and without NUL. */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

/** Turns the payload of an event into the event. @throws {PayloadError} */
export type EventReader = (
  event: EventName,
  payload: JsonObject,
  cwd: string,
  env: NodeJS.ProcessEnv,
) => HookEvent | undefined;

type Moment = Readonly<Record<'session' | 'cwd', string>>;

/** The facts that are needed to read an event, besides the usual fields. */
interface KnownOfEvent {
  readonly moment: Moment;
  /** The moment with the path of the transcript. */
  readonly recorded: Moment;
  readonly call: () => ToolCall;
  /** The call has failed, if the payload after a tool says so. */
  readonly failed?: boolean;
  /** The field with the agent's last message. */
  readonly said?: string;
}

/** The names of an agent's tools in payloads, and the fields of their input. */
export interface Tools {
  /** Tools that run the command line `command` in a shell. */
  readonly shell: readonly string[];
  /** Shell tools whose input a reply can replace. The new input has to repeat the other arguments. */
  readonly rewritable?: readonly string[];
  /** The field with the time that a command may take, in milliseconds. */
  readonly timeLimit?: string;
  /** The field with the folder that a command runs in. */
  readonly folder?: string;
  /** Tools that write the file that a field in `path` names, by default `file_path`. */
  readonly edit: readonly string[];
  readonly path?: readonly string[];
  /** Tools whose input is a patch, or has one. */
  readonly patch?: readonly string[];
  /** Patterns for the names of MCP tools; the first that matches finds the server and the tool. */
  readonly server?: readonly RegExp[];
  readonly tasks?: readonly string[];
  /** Some versions send no input; a tool that names no file is then not taken for one that writes. */
  readonly isInputOptional?: true;
}

/** The form that several agents use: `mcp__server__tool`. */
export const MCP_TOOL = [/^mcp__(.+?)__(.+)$/s];

/**
 * Reads the fields of one agent's payloads; a field of another type than the agent sends is an error.
 *
 * @param title of the agent, for messages.
 * @param spellings `both`: each field is in snake_case or in camelCase, as the version of the agent may have it.
 */
export function payloadReader(title: string, tools: Tools, spellings: 'one' | 'both' = 'one') {
  /** @param what `\`tool_name\` is missing`. */
  const misread = (what: string) => new PayloadError(title, what);
  /** The value of a field in the spelling that is there; `undefined` if it is absent or null. */
  const value = (object: JsonObject, field: string): unknown =>
    object[field] ?? (spellings === 'both' ? object[camelCase(field)] : undefined) ?? undefined;
  /** The text of a field; `undefined` if it is absent or null. @throws {PayloadError} */
  const text = (object: JsonObject, field: string): string | undefined => {
    const found = value(object, field);
    if (found === undefined || typeof found === 'string') return found;
    throw misread(`\`${field}\` is no text`);
  };
  /** The path in a field. @throws {PayloadError} also if it is empty or has a NUL. */
  const path = (object: JsonObject, field: string): string | undefined => {
    const found = text(object, field);
    if (found === undefined || isPath(found)) return found;
    throw misread(`\`${field}\` is no path`);
  };
  /** The transcript, if the payload has a valid path. */
  const transcript = (payload: JsonObject): { readonly transcript?: string } => {
    const found = value(payload, 'transcript_path');
    return isPath(found) ? { transcript: resolve(found) } : {};
  };
  const needed = <T>(found: T | undefined, field: string): T => {
    if (found !== undefined) return found;
    throw misread(`\`${field}\` is missing`);
  };
  /** @throws {PayloadError} if it is no object. */
  const object = (found: unknown, field: string): JsonObject => {
    if (isJsonObject(found)) return found;
    throw misread(`\`${field}\` is no JSON object`);
  };
  /** @throws {PayloadError} if there is no text, or an empty one. */
  const name = (object: JsonObject, field: string) =>
    needed(text(object, field) || undefined, field);
  /** @throws {PayloadError} if there is none. */
  const command = (input: JsonObject | undefined, field = 'command') =>
    needed(input && text(input, field), field);
  const patchIn = (input: unknown): string => {
    const found = isJsonObject(input) ? PATCH_FIELDS.map((it) => input[it]) : [input];
    const patch = found.find((it) => typeof it === 'string');
    if (patch !== undefined) return patch;
    throw misread('the patch is no text');
  };
  /** A call by the name of the tool. @throws {PayloadError} */
  const callOf = (name: string, given: unknown, cwd: string): ToolCall => {
    if (tools.patch?.includes(name)) return edited(...patchedPaths(patchIn(given), cwd));
    const isShell = tools.shell.includes(name);
    if (!isShell && !tools.edit.includes(name)) return serverTool(name, tools.server ?? [], given);
    const input = tools.isInputOptional ? (objectOr(given) ?? {}) : object(given, 'tool_input');
    return isShell ? shellCall(name, input) : editCall(name, input, cwd);
  };
  const editCall = (name: string, input: JsonObject, cwd: string): ToolCall => {
    const { path: fields = ['file_path'], isInputOptional } = tools;
    // All of them are read: a field that the tool ignores must not hide the one that it writes.
    const named = fields
      .map((it) => (isInputOptional ? input[it] : path(input, it)))
      .filter(isPath);
    if (named.length > 0) return edited(...named.map((it) => resolve(cwd, it)));
    if (isInputOptional) return { tool: 'other', name };
    throw misread(`\`${fields[0]}\` is missing`);
  };
  const shellCall = (name: string, input: JsonObject): ToolCall => {
    const line = command(input);
    const { timeLimit, rewritable } = tools;
    const timeLimitMs = timeLimit && input[timeLimit];
    return {
      ...shell(line),
      ...(typeof timeLimitMs === 'number' && { timeLimitMs }),
      ...(rewritable?.includes(name) && {
        rewritten: (other: string) => ({ ...input, command: other }),
      }),
    };
  };
  /** Session, folder, transcript and call, from fields that most agents send; the folder is `processCwd` by default. */
  const origin = (payload: JsonObject, processCwd: string) => {
    const cwd = resolve(processCwd, path(payload, 'cwd') ?? '.');
    const session = text(payload, 'session_id') ?? '';
    const input = value(payload, 'tool_input');
    const isShell = tools.shell.some((it) => it === payload.tool_name);
    const own = tools.folder && isShell && isJsonObject(input) && text(input, tools.folder);
    return {
      cwd,
      moment: { session, cwd: isPath(own) ? resolve(cwd, own) : cwd },
      recorded: { session, cwd, ...transcript(payload) },
      call: () => callOf(name(payload, 'tool_name'), input, cwd),
    };
  };
  return {
    tools,
    value,
    text,
    path,
    misread,
    transcript,
    command,
    callOf,
    origin,
    name,
    /** @throws {PayloadError} if there is no path. */
    file: (object: JsonObject, field: string) => needed(path(object, field), field),
    /** A payload that cannot be read matters only before a tool: otherwise it is no event. */
    parser:
      (read: EventReader): AgentAdapter['parse'] =>
      (event, payload, cwd, env) => {
        try {
          if (!isJsonObject(payload)) throw misread('it is no JSON object');
          return read(event, payload, cwd, env ?? {});
        } catch (error) {
          if (error instanceof PayloadError && event !== 'before-tool') return undefined;
          throw error;
        }
      },
    /** Reads an event that most agents send in the same fields. */
    usual(
      event: EventName,
      payload: JsonObject,
      { moment, recorded, call, failed = false, said }: KnownOfEvent,
    ): HookEvent | undefined {
      switch (event) {
        case 'session-start':
          return { ...recorded, kind: event, source: sessionSource(payload.source) };
        case 'prompt-submit':
          return { ...recorded, kind: event, prompt: text(payload, 'prompt') };
        case 'before-compact':
          return { ...moment, kind: event };
        case 'before-tool':
          return { ...moment, kind: event, call: call() };
        case 'after-tool':
          return { ...moment, kind: event, call: call(), failed };
        case 'after-tool-failure':
          return { ...moment, kind: 'after-tool', call: call(), failed: true };
        case 'stop': {
          const continued = value(payload, 'stop_hook_active') === true;
          const stop = { ...recorded, kind: event, continued };
          return said === undefined ? stop : { ...stop, said: text(payload, said) };
        }
        case 'session-end':
          return { ...recorded, kind: event, reason: text(payload, 'reason') ?? '' };
        default:
          return undefined;
      }
    },
  };
}

export type PayloadReader = ReturnType<typeof payloadReader>;

const camelCase = (field: string): string =>
  field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** An unknown source counts as new, so that the agent is told what is held. */
function sessionSource(source: unknown): 'new' | 'resumed' | 'cleared' | 'compacted' {
  if (source === 'resume' || source === 'fork' || source === 'load') return 'resumed';
  if (source === 'clear') return 'cleared';
  return source === 'compact' ? 'compacted' : 'new';
}

/** A call of an MCP tool, if the name has such a form, else of another tool. */
function serverTool(name: string, forms: readonly RegExp[], input: unknown): ToolCall {
  const [, server, tool] = forms.find((it) => it.test(name))?.exec(name) ?? [];
  if (server === undefined || tool === undefined) return { tool: 'other', name };
  return { tool: 'mcp', server, name: tool, input: objectOr(input) ?? {} };
}

export const shell = (command: string) => ({ tool: 'shell', command, edited: [] }) as const;

export const edited = (...paths: readonly string[]): ToolCall => ({ tool: 'edit', paths });

const PATCH_FIELDS = ['command', 'input', 'patch', 'patchText'];

const FILE_LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm;

/**
 * Absolute paths of the files that a patch adds, changes, moves or deletes, in the form that models of OpenAI write:
 * from `*** Begin Patch` to `*** End Patch`.
 */
export function patchedPaths(patch: string, cwd: string): readonly string[] {
  const paths = [...patch.matchAll(FILE_LINE)].map(([, path = '']) => path.trim());
  return [...new Set(paths.filter(isPath).map((it) => resolve(cwd, it)))];
}
