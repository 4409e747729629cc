/** A PostgreSQL in a temporary folder, on a free port of this machine. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../src/team/board/connection.ts';
import { removeTree } from './remove-tree.ts';
import { until } from './until.ts';

/** No superuser may run PostgreSQL. */
export const NOBODY = 65_534;
export const IS_ROOT = process.getuid?.() === 0;

/** Of PostgreSQL; `undefined` if it is not installed. */
export const folderOfPrograms = [
  process.env.LANEHOLD_TEST_PG_BIN ?? '',
  ...(process.env.PATH ?? '').split(':'),
  ...installedIn('/usr/lib/postgresql'),
  ...['17', '16', '15', '14', '13'].map((it) => `/opt/homebrew/opt/postgresql@${it}/bin`),
].find((folder) =>
  ['initdb', 'postgres', 'pg_dump', 'psql'].every((it) => existsSync(join(folder, it))),
);

function installedIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  return versions.map((it) => join(folder, it, 'bin'));
}

export type Row = Readonly<Record<string, unknown>>;

export interface Postgres {
  readonly port: number;
  /** A new database, and the address of a user who owns it and may make roles. */
  database(): Promise<string>;
  /** Runs a statement as whoever the address names. */
  sql(url: string, sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  start(): Promise<void>;
  /** `immediate` is what a power cut leaves. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** What the board is now, for `restore`. */
  dump(url: string): string;
  restore(url: string, dump: string): void;
}

/** @param options settings of the server; by default it may lose everything in a power cut. */
export function postgresIn(bin: string, options: readonly string[] = ['fsync=off']) {
  let folder = '';
  let port = 0;
  let running: ChildProcess | undefined;
  let databases = 0;
  const adminUrl = () => `postgres://admin@127.0.0.1:${port}/postgres`;
  const asUser = (program: string, args: readonly string[]): readonly [string, string[]] => {
    const command = [join(bin, program), ...args];
    if (!IS_ROOT) return [command[0] ?? '', command.slice(1)];
    const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--pdeathsig=KILL'];
    return ['setpriv', [...user, ...command]];
  };
  const run = (program: string, args: readonly string[], input?: string): string => {
    const [file, words] = asUser(program, args);
    return execFileSync(file, words, {
      input,
      encoding: 'utf8',
      cwd: folder,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
  };
  const server = {
    get port() {
      return port;
    },
    async make(): Promise<void> {
      folder = mkdtempSync(join(tmpdir(), 'postgres-'));
      if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
      run('initdb', ['-D', 'data', '-A', 'trust', '-U', 'admin', '-E', 'UTF8', '--no-sync']);
      port = await freePort();
      await server.start();
    },
    async start(): Promise<void> {
      const settings = [...options, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
      const args = ['-D', 'data', '-p', `${port}`, ...settings.flatMap((it) => ['-c', it])];
      const [file, words] = asUser('postgres', args);
      running = spawn(file, words, { cwd: folder, stdio: 'ignore' });
      await until('PostgreSQL answers', () =>
        withConnection(adminUrl(), 2_000, (query) => query('SELECT 1')).catch(() => false),
      );
    },
    async stop(mode: 'fast' | 'immediate'): Promise<void> {
      const ended = running && once(running, 'exit');
      running?.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
      running = undefined;
    },
    async remove(): Promise<void> {
      if (running) await server.stop('immediate');
      removeTree(folder);
    },
    sql: (url: string, sql: string, values: readonly unknown[] = []) =>
      withConnection(url, 20_000, (query) => query(sql, values)) as Promise<readonly Row[]>,
    async database(): Promise<string> {
      databases += 1;
      const name = `team${databases}`;
      await server.sql(adminUrl(), `CREATE ROLE owner${databases} LOGIN CREATEROLE`);
      await server.sql(adminUrl(), `CREATE DATABASE ${name} OWNER owner${databases}`);
      return `postgres://owner${databases}:any@127.0.0.1:${port}/${name}`;
    },
    dump: (url: string) => run('pg_dump', ['--dbname', url, '--schema', 'lanehold']),
    restore(url: string, dump: string): void {
      const drop = 'SET client_min_messages = error; DROP SCHEMA lanehold CASCADE;';
      run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--dbname', url], `${drop}\n${dump}`);
    },
  };
  return server;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
