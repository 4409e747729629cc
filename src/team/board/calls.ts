/** The functions of the board that a member may call. What they answer is checked: others can write there. */
import * as z from 'zod/mini';
import { codeOf } from '../../base/errors.ts';
import { packageVersion } from '../../base/files/package.ts';
import { type Credentials, type Invitation, keyOf } from '../credentials.ts';
import { keyCheck } from '../seal.ts';
import { BoardRefusedError, type Query, withConnection } from './connection.ts';

/** Of the functions; a board may ask for a later one. */
const PROTOCOL = 1;

/** What the functions take at once. */
export const MOST_SUBJECTS = 50;

const joined = z.object({ board: z.guid(), schema: z.int() });

const text = (most: number) => z.string().check(z.maxLength(most));
const status = z.object({
  schema: z.int(),
  now_ms: z.number(),
  hosts: z
    .array(z.object({ name: text(64), client: text(64), seen_s: z.number(), is_self: z.boolean() }))
    .check(z.maxLength(500)),
});
export type BoardStatus = z.infer<typeof status>;

const bytes = z.instanceof(Buffer);
const put = z.enum(['stored', 'full']);
const sealed = z.object({ subject: bytes, body: bytes });

/** Who this machine is to the board. */
export type Identity = Pick<Credentials, 'host' | 'token' | 'name'>;

export async function joinBoard(query: Query, member: Invitation, { host, token, name }: Identity) {
  const facts = {
    name,
    protocol: PROTOCOL,
    client: packageVersion(),
    key_check: keyCheck(keyOf(member)),
  };
  const given = [host, tokenBytes(token), JSON.stringify(facts)];
  return first(joined, await query('SELECT lanehold.join_host($1, $2, $3) AS answer', given));
}

const tokenBytes = (token: string): Buffer => Buffer.from(token, 'base64url');

export type Board = ReturnType<typeof boardOn>;

function boardOn(query: Query, { host, token }: Identity) {
  const self = [host, tokenBytes(token)] as const;
  return {
    leave: () => query('SELECT lanehold.leave($1, $2)', self),
    status: async () =>
      first(status, await query('SELECT lanehold.status($1, $2) AS answer', self)),
    /** `full`: the board has enough of this machine about that content. */
    async putEvidence(repo: string, subject: Buffer, digest: Buffer, body: Buffer) {
      const sql = 'SELECT lanehold.put_evidence($1, $2, $3, $4, $5, $6) AS answer';
      return first(put, await query(sql, [...self, repo, subject, digest, body]));
    },
    /** @param subjects at most `MOST_SUBJECTS`. */
    async getEvidence(repo: string, subjects: readonly Buffer[]) {
      const sql = 'SELECT subject, body FROM lanehold.get_evidence($1, $2, $3, $4)';
      const rows = await query(sql, [...self, repo, subjects]);
      return rows.map((row) => checked(sealed, row));
    },
    /** Those of some envelopes that the board has, as digests in hex. */
    async keptEvidence(digests: readonly Buffer[]): Promise<ReadonlySet<string>> {
      const sql = 'SELECT lanehold.kept_evidence($1, $2, $3) AS answer';
      const rows = await query(sql, [...self, digests]);
      return new Set(rows.map((row) => first(bytes, [row]).toString('hex')));
    },
  };
}

/**
 * Does `work` with the board of the team. A board that does not know this machine any more was restored to a state
 * from before it joined: it joins again, once.
 *
 * @throws {BoardUnreachableError | BoardRefusedError}
 */
export function withBoard<T>(
  member: Credentials,
  limitMs: number,
  work: (board: Board) => Promise<T>,
): Promise<T> {
  return withConnection(member, limitMs, async (query) => {
    const board = boardOn(query, member);
    try {
      return await work(board);
    } catch (error) {
      if (codeOf(error) !== 'LH001') throw error;
      await joinBoard(query, member, member);
      return work(board);
    }
  });
}

function checked<T>(shape: z.ZodMiniType<T>, value: unknown): T {
  const { data, error } = shape.safeParse(value);
  if (error === undefined) return data;
  throw new BoardRefusedError('the board answers what this lanehold does not understand', {
    hint: 'update lanehold',
    cause: error,
  });
}

const row = z.object({ answer: z.unknown() });
const first = <T>(shape: z.ZodMiniType<T>, rows: readonly unknown[]): T =>
  checked(shape, checked(row, rows[0]).answer);
