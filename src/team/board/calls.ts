/** Calls of the board's functions. Answers come from outside, so their shape is checked. */
import * as z from 'zod/mini';
import { ExplainedError } from '../../base/errors.ts';
import type { Member } from '../credentials.ts';
import type { Query } from './connection.ts';

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

/** Digests in the column `it`, in hex. */
export const digestsIn = (rows: readonly unknown[]): ReadonlySet<string> =>
  new Set(rows.map((row) => first(z.instanceof(Buffer), [row]).toString('hex')));

export type Calls = ReturnType<typeof callsOf>;

/** How a member calls the functions, each of which begins with who it is. */
export function callsOf(query: Query, { host, token }: Member) {
  const self = [host, Buffer.from(token, 'base64url')] as const;
  const rows = (name: Name, args: readonly unknown[]) => {
    const given = [...self, ...args];
    const places = given.map((_, at) => `$${at + 1}`);
    return query(`SELECT it FROM lanehold.${name}(${places}) AS it`, given);
  };
  const call = async <T>(name: Name, shape: z.ZodMiniType<T>, ...args: readonly unknown[]) =>
    first(shape, await rows(name, args));
  return { query, rows, call, self };
}

type Name =
  | ('leave' | 'status' | 'put_evidence' | 'kept_evidence' | 'lend' | 'beat' | 'finish' | 'release')
  | ('publish_run' | 'offer' | 'cancel_lane' | 'settle_lane' | 'kept_lanes' | 'news')
  | ('put_snapshot' | 'put_answer' | 'put_note' | 'note_digests' | 'tidy');
