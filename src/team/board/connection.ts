/// <reference path="./pg.d.ts" />
/**
 * One connection to the board: made for a few statements, with one time limit for all of it, and thrown away. Only
 * this file loads the driver.
 */
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { duration } from '../../base/text/time.ts';
import type { Invitation } from '../credentials.ts';

/** It could not be reached, or stopped answering: the same may work later. */
export class BoardUnreachableError extends ExplainedError {
  override readonly code = 'TEAM_UNREACHABLE';
}

/** It has answered, and does not do it. */
export class BoardRefusedError extends ExplainedError {
  override readonly code = 'TEAM_REFUSED';
}

/** Rows of one statement. They come from outside: whoever reads them checks them. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;

type Address = Pick<Invitation, 'url' | 'ca'>;

/** @throws {BoardUnreachableError | BoardRefusedError} */
export async function withConnection<T>(
  address: Address,
  limitMs: number,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const { default: driver } = await import('pg');
  const client = new driver.Client(connectionOptions(address));
  // A connection that breaks fails the statement that runs, which is enough.
  client.on('error', () => undefined);
  const query: Query = async (sql, values = []) => (await client.query(sql, values)).rows;
  const limit = new AbortController();
  const late = pause(limitMs, undefined, { signal: limit.signal }).then(() => {
    throw new BoardUnreachableError(`the team's board did not answer within ${duration(limitMs)}`);
  });
  const done = (async () => {
    await client.connect();
    return work(query);
  })();
  try {
    return await Promise.race([done, late]);
  } catch (error) {
    throw explainedFailure(error);
  } finally {
    limit.abort();
    late.catch(() => undefined);
    await Promise.race([
      client.end().catch(() => undefined),
      pause(200, undefined, { ref: false }),
    ]);
    // One that is stalled would keep the process.
    client.connection.stream.destroy();
  }
}

/** Where it is, for people: without user and password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/**
 * Of the address only what is read here counts, so that no parameter can lead elsewhere. Except on this machine the
 * server has to prove who it is, whatever the address says of TLS.
 */
export function connectionOptions({ url, ca }: Address) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const host = withoutBrackets(hostname);
  const name = decodeURIComponent(pathname.slice(1));
  return {
    host,
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: name || decodeURIComponent(username),
    // Some providers tell by it which database is meant.
    options: searchParams.get('options') ?? undefined,
    ssl: isThisMachine(host) ? false : { rejectUnauthorized: true, host, ca },
    application_name: 'lanehold',
    keepAlive: true,
  };
}

/** Of an address of IPv6. */
const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

export function isThisMachine(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

const NO_TLS = /does not support SSL|certificate|self.signed|altname/i;

/** By SQLSTATE. */
const REFUSALS: Readonly<Record<string, readonly [fact: string, hint: string]>> = {
  LH001: [
    'the board does not know this machine',
    '`lanehold team disconnect`, then `lanehold team connect`',
  ],
  LH003: ['the board asks for a newer lanehold', 'update lanehold'],
  LH007: ['this is the key of another team', 'connect with the address and the key of one file'],
  '23505': ['the team has another machine of this name', 'give another one by `--name`'],
  '23514': ['the board does not take what was sent', 'update lanehold'],
  '28P01': ['the board does not know this user and password', 'ask for the present address'],
  '28000': ['the board does not let this user in', 'ask for the present address'],
  '3D000': ['there is no database of this name', 'correct the address'],
  '3F000': ['this database has no board', '`lanehold team init` with the address of its owner'],
  '42P01': ['this database has no board', '`lanehold team init` with the address of its owner'],
  '42883': [
    'the board is of another version of lanehold',
    '`lanehold team init` with the address of its owner upgrades it; else update lanehold',
  ],
  '42501': [
    'the database does not allow this user to do that',
    'members use the address that `lanehold team init` wrote; `init` needs that of the owner',
  ],
};

function explainedFailure(cause: unknown): unknown {
  if (cause instanceof ExplainedError || !(cause instanceof Error)) return cause;
  const sqlstate = 'severity' in cause ? codeOf(cause) : '';
  const [fact, hint] = REFUSALS[sqlstate] ?? [];
  if (fact !== undefined) return new BoardRefusedError(fact, { hint, cause });
  if (NO_TLS.test(cause.message)) {
    return new BoardUnreachableError(`the server does not prove who it is: ${cause.message}`, {
      hint: 'give the certificates (PEM) of its authority as LANEHOLD_TEAM_CA when you connect; TLS is not optional',
      cause,
    });
  }
  // Of several addresses each has an error.
  const why = cause.message || codeOf(cause);
  return new BoardUnreachableError(`the team's board cannot be reached: ${why}`, { cause });
}
