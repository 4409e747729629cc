/** The board: calls of its functions by members, and its creation by the owner. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { packageRoot, packageVersion } from '../../base/files/package.ts';
import { keyOf, type Member } from '../credentials.ts';
import { keyCheck } from '../seal.ts';
import { type Query, withConnection } from './connection.ts';
import { FUNCTIONS, type Parameters } from './functions.ts';

/** The version of the functions; a board may require a later one. */
const PROTOCOL = 1;

type Functions = typeof FUNCTIONS;
type Name = keyof Functions;
type Flat<T> = T extends readonly (infer It)[] ? It : T;
/** What a function is given beside what all calls of a machine share. */
export type Given<N extends Name> = Pick<
  Parameters,
  Exclude<Flat<Functions[N][0][number]>, keyof ReturnType<typeof callerOf>>
>;
export type Answer<N extends Name> = z.output<Functions[N][1]>;
export type Board = {
  readonly [N in Name]: (
    ...given: keyof Given<N> extends never ? [] : [Given<N>]
  ) => Promise<Answer<N>>;
};

const callerOf = (member: Omit<Member, 'board'>) => ({
  host: member.host,
  token: Buffer.from(member.token, 'base64url'),
  name: member.name,
  protocol: PROTOCOL,
  client: packageVersion(),
  key_check: keyCheck(keyOf(member)),
});

/** Refusals have the codes of `connection.ts`. */
export function boardOn(query: Query, member: Omit<Member, 'board'>): Board {
  const caller = callerOf(member);
  const calls = Object.entries(FUNCTIONS).map(([name, [takes, answers]]) => {
    const call = async (more: Partial<Parameters> = {}) => {
      const given: Partial<Parameters> = { ...more, ...caller };
      const values = ['host', 'token', ...takes].map((it) =>
        typeof it === 'string' ? given[it as keyof Parameters] : JSON.stringify(given, [...it]),
      );
      const places = values.map((_, at) => `$${at + 1}`);
      const inSql = name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
      return first(answers, await query(`SELECT lanehold.${inSql}(${places}) AS it`, values));
    };
    return [name, call];
  });
  return Object.fromEntries(calls);
}

/** The column `it` of the first row. @throws {ExplainedError} if it is not as expected. */
function first<T>(shape: z.ZodMiniType<T>, rows: readonly unknown[]): T {
  const { data, error } = z.tuple([z.object({ it: shape })]).safeParse(rows);
  if (error === undefined) return data[0].it;
  const hint = 'update lanehold';
  throw new ExplainedError('the board answers what this lanehold does not understand', { hint });
}

/**
 * Does `work` with the board of the team. A board that does not know this machine was restored to a state before it
 * joined; one that takes it for too old may not know of an update. The machine then joins again, once.
 *
 * @throws {ExplainedError}
 */
export const withBoard = <T>(
  member: Omit<Member, 'board'>,
  limitMs: number,
  work: (board: Board) => Promise<T>,
): Promise<T> =>
  withConnection(member.url, limitMs, async (query) => {
    const board = boardOn(query, member);
    try {
      return await work(board);
    } catch (error) {
      if (codeOf(error) !== 'LH001' && codeOf(error) !== 'LH003') throw error;
      await board.joinHost();
      return work(board);
    }
  });

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
    const made = from === 0 ? await membersOf(query, owner, 'make_members') : undefined;
    await query('UPDATE lanehold.board SET schema = $1', [to]);
    await query('SELECT lanehold.grant_to_members()');
    await query('COMMIT');
    return { from, to, ...made };
  });

/** A new key and password of the members; what the old key has sealed is deleted. @param owner address of the owner. */
export const rotateKey = (owner: string) =>
  withConnection(owner, 30_000, (query) => membersOf(query, owner, 'rotate_key'));

/** @returns the address of members, and whether they have a role of their own that touches no table. */
async function membersOf(query: Query, owner: string, how: 'make_members' | 'rotate_key') {
  const key = randomBytes(32);
  const password = randomBytes(24).toString('base64url');
  const values = [Buffer.from(keyCheck(key), 'hex'), password];
  const made = await query(`SELECT lanehold.${how}($1, $2) AS it`, values);
  const name = first(z.nullable(z.string()), made);
  const url = new URL(owner);
  url.hash = key.toString('base64url');
  if (name === null) return { members: url.href, ownRole: false };
  // A pooler for many databases selects one by the ending of the user name.
  url.username = `${name}${/\.[\w-]+$/.exec(url.username)?.[0] ?? ''}`;
  url.password = password;
  return { members: url.href, ownRole: true };
}
