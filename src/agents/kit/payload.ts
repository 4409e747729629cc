/** Reading what an agent sent: any JSON value, of which every field has to be checked. */
import { resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { ExplainedError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import type { AgentAdapter, EventName, HookEvent, ToolCall } from '../types.ts';

/**
 * A payload that cannot be understood. Before a tool, the hook then denies what may be a release.
 */
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
type EventReader = (
  event: EventName,
  payload: JsonObject,
  cwd: string,
  env: Environment,
) => HookEvent | undefined;

interface Moment {
  readonly session: string;
  readonly cwd: string;
}

/** What has to be known to read an event, beside the usual fields. */
interface KnownOfEvent {
  readonly moment: Moment;
  /** The moment with the path of the transcript. */
  readonly recorded: Moment;
  readonly call: () => ToolCall;
  /** The call has failed, where the payload after a tool says so. */
  readonly failed?: boolean;
  /** The field with what the agent said last. */
  readonly said?: string;
}

/**
 * Reads the fields of one agent's payloads; what is of another type than the agent sends is an error.
 *
 * @param title of the agent, for messages.
 * @param spellings `both`: each field is in snake_case or in camelCase, as the version of the agent may have it.
 */
export function payloadReader(title: string, spellings: 'one' | 'both' = 'one') {
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
  /** The same for a path. @throws {PayloadError} also if it is empty or has a NUL. */
  const path = (object: JsonObject, field: string): string | undefined => {
    const found = text(object, field);
    if (found === undefined || isPath(found)) return found;
    throw misread(`\`${field}\` is no path`);
  };
  /** The path of the transcript, if it is one. */
  const transcript = (payload: JsonObject): { readonly transcript?: string } => {
    const found = value(payload, 'transcript_path');
    return isPath(found) ? { transcript: resolve(found) } : {};
  };
  const needed = <T>(found: T | undefined, field: string): T => {
    if (found !== undefined) return found;
    throw misread(`\`${field}\` is missing`);
  };
  return {
    value,
    text,
    path,
    misread,
    transcript,
    /** @throws {PayloadError} if it is no object. */
    object(found: unknown, field: string): JsonObject {
      if (isJsonObject(found)) return found;
      throw misread(`\`${field}\` is no JSON object`);
    },
    /** @throws {PayloadError} if there is no text, or an empty one. */
    name: (object: JsonObject, field: string) => needed(text(object, field) || undefined, field),
    /** @throws {PayloadError} if there is no path. */
    file: (object: JsonObject, field: string) => needed(path(object, field), field),
    /** @throws {PayloadError} if there is none. */
    command: (input: JsonObject | undefined, field = 'command') =>
      needed(input && text(input, field), field),
    /** Only before a tool does it matter that a payload cannot be understood: otherwise it is no event. */
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
    /** Session, folder and transcript, from the fields that most agents send; `processCwd` if there is no folder. */
    origin(payload: JsonObject, processCwd: string) {
      const cwd = resolve(processCwd, path(payload, 'cwd') ?? '.');
      const moment = { session: text(payload, 'session_id') ?? '', cwd };
      return { cwd, moment, recorded: { ...moment, ...transcript(payload) } };
    },
    /** An event of those that most agents send in the same fields. */
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

const camelCase = (field: string): string =>
  field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** An unknown source counts as new, so that the agent is told what is held. */
function sessionSource(source: unknown): 'new' | 'resumed' | 'cleared' | 'compacted' {
  if (source === 'resume' || source === 'fork' || source === 'load') return 'resumed';
  if (source === 'clear') return 'cleared';
  return source === 'compact' ? 'compacted' : 'new';
}

/**
 * A tool of a server, if its name is of that form, else another tool.
 *
 * @param form matches the server and the tool: `/^mcp__(.+?)__(.+)$/s`.
 */
export function serverTool(name: string, form: RegExp, input: unknown): ToolCall {
  const [, server, tool] = form.exec(name) ?? [];
  if (server === undefined || tool === undefined) return { tool: 'other', name };
  return { tool: 'mcp', server, name: tool, input: objectOr(input) ?? {} };
}
