/** Answers of the board come from outside, so their shape is checked. */
import * as z from 'zod/mini';
import { ExplainedError } from '../../base/errors.ts';

/** @throws {ExplainedError} */
export function checked<T>(shape: z.ZodMiniType<T>, value: unknown): T {
  const { data, error } = shape.safeParse(value);
  if (error === undefined) return data;
  const hint = 'update lanehold';
  throw new ExplainedError('the board answers what this lanehold does not understand', { hint });
}

/** The column `it` of the first row. */
export const first = <T>(shape: z.ZodMiniType<T>, rows: readonly unknown[]): T =>
  checked(shape, checked(z.object({ it: z.unknown() }), rows[0]).it);
