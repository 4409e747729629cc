/** A connection to the board: opened for a few statements, and closed. Only this file loads the driver. */
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, ExplainedError } from '../../base/errors.ts';

/** Rows of one statement. They come from outside, so the caller must check them. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;

/**
 * @param limitMs the limit for connecting, and for each statement.
 * @throws {ExplainedError} if the board cannot be reached, does not answer, or refuses.
 */
export async function withConnection<T>(
  url: string,
  limitMs: number,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const { default: driver } = await import('pg');
  const limits = { connectionTimeoutMillis: limitMs, query_timeout: limitMs };
  const client = new driver.Client({ ...connectionOptions(url), ...limits });
  // A broken connection also fails the running statement, which is enough.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(async (sql, values = []) => (await client.query(sql, [...values])).rows);
  } catch (error) {
    throw explainedFailure(error);
  } finally {
    await Promise.race([client.end().catch(() => undefined), pause(200)]);
    // A stalled connection would keep the process running.
    client.connection.stream.destroy();
  }
}

/** The address for people: without user, password and key. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/**
 * Only these parts of the address are used, so that no parameter can lead elsewhere. Except on this machine, the server
 * must prove its identity, whatever the address says about TLS.
 */
export function connectionOptions(url: string) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1) || username),
    // Some providers select the database by it.
    options: searchParams.get('options') ?? undefined,
    ssl: isThisMachine(host) ? false : { rejectUnauthorized: true, host },
    application_name: 'lanehold',
    keepAlive: true,
  };
}

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

const AS_OWNER = '`lanehold team init` with the address of its owner';
const NO_BOARD = ['this database has no board', AS_OWNER] as const;

/** The errors by SQLSTATE; for others, PostgreSQL's own message is enough. */
const REFUSALS: Readonly<Record<string, readonly [fact: string, hint: string]>> = {
  LH001: ['the board does not know this machine', 'disconnect, then connect anew'],
  LH002: [
    'another process lends this machine to the team',
    'if it is a copy of another machine: `lanehold team disconnect`, then connect anew',
  ],
  LH003: ['the board asks for a newer lanehold', 'update lanehold'],
  LH005: ['the board does not have that lane or run', '`lanehold team sync`'],
  LH006: ['that run is of another machine', 'say it there'],
  LH009: [
    'the home of that run was heard a moment ago',
    'integrate there, or wait until it is gone',
  ],
  LH008: ['the team has no machine of that name', '`lanehold team status` names them'],
  LH007: ['this is the key of another team', 'connect with the address as it was given'],
  '23505': ['the team has another machine of this name', 'give another one by `--name`'],
  '28P01': ['the board refuses this password', 'members: `lanehold team connect < member-url`'],
  '3D000': ['the server has no database of that name', '`createdb` makes one'],
  '3F000': NO_BOARD,
  '42P01': NO_BOARD,
  '42883': [
    'the board is of another version of lanehold',
    `${AS_OWNER} upgrades it; else update lanehold`,
  ],
  '42501': ['the database does not allow this user to do that', AS_OWNER],
};

function explainedFailure(cause: unknown): unknown {
  if (cause instanceof ExplainedError || !(cause instanceof Error)) return cause;
  const state = codeOf(cause);
  const [fact, hint] = REFUSALS[state] ?? [];
  const code = state.startsWith('LH') ? state : 'TEAM_REFUSED';
  if (fact !== undefined) return new ExplainedError(fact, { code, hint, cause });
  const isTls = /SSL|certificate|altname/i.test(cause.message);
  // If several addresses were tried, each has an error.
  const why = cause.message || codeOf(cause);
  return new ExplainedError(`the team's board cannot be used: ${why}`, {
    hint: isTls
      ? 'TLS is not optional; NODE_EXTRA_CA_CERTS names the certificates of a private authority'
      : 'see whether the server is there, and can be reached from this machine',
    cause,
  });
}
