/** Reading what an agent sent: any JSON value, of which every field has to be checked. */
import { ExplainedError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/text/json.ts';
import type { AgentAdapter } from '../types.ts';

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

/** Reads the fields of one agent's payloads; what is of another type than the agent sends is an error. */
export interface PayloadReader {
  /** The text of a field; `undefined` if it is absent or null. @throws {PayloadError} */
  text(object: JsonObject, field: string): string | undefined;
  /** The same for a path. @throws {PayloadError} also if it is empty or has a NUL. */
  path(object: JsonObject, field: string): string | undefined;
  /** @param what `\`tool_name\` is missing`. */
  misread(what: string): PayloadError;
}

/** @param title of the agent, for messages. */
export function payloadReader(title: string): PayloadReader {
  const misread = (what: string) => new PayloadError(title, what);
  const text = (object: JsonObject, field: string) => {
    const value = object[field] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw misread(`\`${field}\` is no text`);
  };
  const path = (object: JsonObject, field: string) => {
    const value = text(object, field);
    if (value === undefined || isPath(value)) return value;
    throw misread(`\`${field}\` is no path`);
  };
  return { text, path, misread };
}

/** Only before a tool does it matter that a payload cannot be understood: otherwise it is no event. */
export function lenientParse(read: AgentAdapter['parse']): AgentAdapter['parse'] {
  return (event, payload, cwd, env) => {
    try {
      return read(event, payload, cwd, env);
    } catch (error) {
      if (error instanceof PayloadError && event !== 'before-tool') return undefined;
      throw error;
    }
  };
}
