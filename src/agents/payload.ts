/** Reading what an agent sent: any JSON value, hostile until each field was looked at. */
import { ExplainedError } from '../errors.ts';

/** A payload that cannot be understood; at a guarded moment the hook then decides by policy. */
export class PayloadError extends ExplainedError {
  override readonly code = 'PAYLOAD';

  constructor(agent: string, what: string) {
    super(`the payload from ${agent} cannot be understood: ${what}`, {
      hint: 'update lanehold, or run `lanehold doctor`',
    });
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path that the file system could take: not empty and free of NUL. */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}
