/** Reading what an agent sent: any JSON value, of which every field has to be checked. */
import { ExplainedError } from '../errors.ts';

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
