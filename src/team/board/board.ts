/** The functions of the board that members call, and its creation by the owner. Its answers are checked. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { packageRoot, packageVersion } from '../../base/files/package.ts';
import { keyOf, type Member } from '../credentials.ts';
import { keyCheck } from '../seal.ts';
import { type Query, withConnection } from './connection.ts';

/** The version of the functions; a board may require a later one. */
const PROTOCOL = 1;

const text = (most: number) => z.string().check(z.maxLength(most));
const host = z.object({
  name: text(64),
  client: text(64),
  seen_s: z.number(),
  is_self: z.boolean(),
});
const SHAPES = {
  join: z.object({ board: z.guid(), name: text(64) }),
  status: z.object({ now_ms: z.number(), hosts: z.array(host).check(z.maxLength(500)) }),
  put: z.enum(['stored', 'full']),
  digest: z.instanceof(Buffer),
  sealed: z.object({ subject: z.instanceof(Buffer), body: z.instanceof(Buffer) }),
};

export async function joinBoard(query: Query, member: Omit<Member, 'board'>) {
  const { host, token, name } = member;
  const key_check = keyCheck(keyOf(member));
  const facts = { name, protocol: PROTOCOL, client: packageVersion(), key_check };
  const given = [host, Buffer.from(token, 'base64url'), JSON.stringify(facts)];
  return first(SHAPES.join, await query('SELECT lanehold.join_host($1, $2, $3) AS it', given));
}

export type Board = ReturnType<typeof boardOn>;

function boardOn(query: Query, { host, token }: Member) {
  const self = [host, Buffer.from(token, 'base64url')] as const;
  return {
    leave: () => query('SELECT lanehold.leave($1, $2)', self),
    status: async () =>
      first(SHAPES.status, await query('SELECT lanehold.status($1, $2) AS it', self)),
    /** `full`: the board has the most records of this machine about that content. */
    async putEvidence(repo: string, subject: Buffer, digest: Buffer, body: Buffer) {
      const sql = 'SELECT lanehold.put_evidence($1, $2, $3, $4, $5, $6) AS it';
      return first(SHAPES.put, await query(sql, [...self, repo, subject, digest, body]));
    },
    /** @param subjects at most 500. */
    async getEvidence(repo: string, subjects: readonly Buffer[]) {
      const sql = 'SELECT subject, body FROM lanehold.get_evidence($1, $2, $3, $4)';
      const rows = await query(sql, [...self, repo, subjects]);
      return rows.map((row) => checked(SHAPES.sealed, row));
    },
    /** Those of some envelopes that the board has, as digests in hex. */
    async keptEvidence(digests: readonly Buffer[]): Promise<ReadonlySet<string>> {
      const rows = await query('SELECT lanehold.kept_evidence($1, $2, $3) AS it', [
        ...self,
        digests,
      ]);
      return new Set(rows.map((row) => first(SHAPES.digest, [row]).toString('hex')));
    },
  };
}

/**
 * Does `work` with the board of the team. A board that does not know this machine was restored to a state before it
 * joined: the machine then joins again, once.
 *
 * @throws {ExplainedError}
 */
export const withBoard = <T>(
  member: Member,
  limitMs: number,
  work: (board: Board) => Promise<T>,
): Promise<T> =>
  withConnection(member.url, limitMs, async (query) => {
    const board = boardOn(query, member);
    try {
      return await work(board);
    } catch (error) {
      if (codeOf(error) !== 'LH001') throw error;
      await joinBoard(query, member);
      return work(board);
    }
  });

function checked<T>(shape: z.ZodMiniType<T>, value: unknown): T {
  const { data, error } = shape.safeParse(value);
  if (error === undefined) return data;
  const hint = 'update lanehold';
  throw new ExplainedError('the board answers what this lanehold does not understand', { hint });
}

const first = <T>(shape: z.ZodMiniType<T>, rows: readonly unknown[]): T =>
  checked(shape, checked(z.object({ it: z.unknown() }), rows[0]).it);

/**
 * Makes the board, or upgrades it, in one transaction.
 *
 * @param owner address of a user who may create a schema, and if possible a role.
 * @returns the schema before and now, and what members get if it was made.
 */
export const initBoard = (owner: string) =>
  withConnection(owner, 30_000, async (query) => {
    await query('BEGIN');
    // If two run at the same time, the later one finds the result of the first.
    await query("SELECT pg_advisory_xact_lock(hashtext('lanehold'))");
    const number = async (sql: string) => first(z.int(), await query(sql));
    const isThere = await number("SELECT (to_regclass('lanehold.board') IS NOT NULL)::int AS it");
    const from = isThere ? await number('SELECT schema AS it FROM lanehold.board') : 0;
    const folder = join(packageRoot(), 'migrations', 'team');
    const files = readdirSync(folder)
      .filter((it) => /^\d{3}_\w+\.sql$/.test(it))
      .sort();
    const to = Number(files.at(-1)?.slice(0, 3));
    if (from > to)
      throw new ExplainedError('the board is of a newer lanehold', { hint: 'update lanehold' });
    for (const it of files.slice(from)) await query(readFileSync(join(folder, it), 'utf8'));
    const made = from === 0 ? await firstMembers(query, owner) : undefined;
    await query('UPDATE lanehold.board SET schema = $1', [to]);
    await query('SELECT lanehold.grant_to_members()');
    await query('COMMIT');
    return { from, to, members: made?.url, ownRole: made?.ownRole };
  });

/** @returns the address of members, and whether they have a role of their own that touches no table. */
async function firstMembers(query: Query, owner: string) {
  const key = randomBytes(32);
  const insert = 'INSERT INTO lanehold.board (schema, key_check) VALUES (0, $1)';
  await query(insert, [Buffer.from(keyCheck(key), 'hex')]);
  const password = randomBytes(24).toString('base64url');
  const made = await query('SELECT lanehold.make_member($1) AS it', [password]);
  const name = first(z.nullable(z.string()), made);
  const url = new URL(owner);
  url.hash = key.toString('base64url');
  if (name === null) return { url: url.href, ownRole: false };
  // A pooler for many databases selects one by the ending of the user name.
  url.username = `${name}${/\.[\w-]+$/.exec(url.username)?.[0] ?? ''}`;
  url.password = password;
  return { url: url.href, ownRole: true };
}
