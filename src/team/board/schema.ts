/** Makes the board in a database, and upgrades it: by its owner, in one transaction. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { packageRoot } from '../../base/files/package.ts';
import type { Invitation } from '../credentials.ts';
import { keyCheck } from '../seal.ts';
import { isThisMachine, type Query, withConnection } from './connection.ts';

const LIMIT_MS = 30_000;

export interface InitialisedBoard {
  /** Number of the schema before; 0 if there was none. */
  readonly from: number;
  readonly to: number;
  /** What members get; absent if the board was there: they have it. */
  readonly invitation?: Invitation;
  /** Whether members have a role of their own that touches no table. */
  readonly ownRole?: boolean;
}

/** @param owner may create a schema, and if possible a role. */
export function initBoard(owner: Pick<Invitation, 'url' | 'ca'>): Promise<InitialisedBoard> {
  return withConnection(owner, LIMIT_MS, async (query) => {
    await query('BEGIN');
    // Of two that begin together the later one finds what the first has made.
    await query("SELECT pg_advisory_xact_lock(hashtext('lanehold'))");
    const from = await schemaOf(query);
    const files = migrationFiles();
    const to = files.at(-1)?.number ?? 0;
    if (from > to) {
      throw new ExplainedError('the board is of a newer lanehold', { hint: 'update lanehold' });
    }
    for (const { number, sql } of files) if (number > from) await query(sql);
    const made = from === 0 ? await firstMembers(query, owner, to) : {};
    await query('UPDATE lanehold.board SET schema = $1', [to]);
    await query('SELECT lanehold.grant_to_members()');
    await query('COMMIT');
    return { from, to, ...made };
  });
}

async function schemaOf(query: Query): Promise<number> {
  const [found] = await query("SELECT to_regclass('lanehold.board') IS NOT NULL AS there");
  if (!z.parse(z.object({ there: z.boolean() }), found).there) return 0;
  const [row] = await query('SELECT schema FROM lanehold.board');
  return z.parse(z.object({ schema: z.int() }), row).schema;
}

async function firstMembers(query: Query, owner: Pick<Invitation, 'url' | 'ca'>, schema: number) {
  const key = randomBytes(32);
  const insert = 'INSERT INTO lanehold.board (schema, key_check) VALUES ($1, decode($2, $3))';
  await query(insert, [schema, keyCheck(key), 'hex']);
  const name = `lanehold_member_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(24).toString('base64url');
  const ownRole = await mayMakeRole(query, name, password);
  const url = ownRole ? memberUrl(owner.url, name, password) : owner.url;
  return { invitation: { url, key: key.toString('base64url'), ca: owner.ca }, ownRole };
}

async function mayMakeRole(query: Query, name: string, password: string): Promise<boolean> {
  await query('SAVEPOINT role');
  try {
    await query('SELECT lanehold.make_member($1, $2)', [name, password]);
    return true;
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    await query('ROLLBACK TO SAVEPOINT role');
    return false;
  }
}

function memberUrl(owner: string, name: string, password: string): string {
  const url = new URL(owner);
  // A pooler that serves many databases tells by an ending of the user which one is meant.
  const [, ending = ''] = /(\.[\w-]+)$/.exec(url.username) ?? [];
  url.username = `${name}${ending}`;
  url.password = password;
  if (!isThisMachine(url.hostname)) url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** `NNN_name.sql`, in order. */
function migrationFiles() {
  const folder = join(packageRoot(), 'migrations', 'team');
  const names = readdirSync(folder).filter((name) => /^\d{3}_\w+\.sql$/.test(name));
  return names.sort().map((name) => {
    return { number: Number(name.slice(0, 3)), sql: readFileSync(join(folder, name), 'utf8') };
  });
}
