/** PgBouncer in transaction mode before a PostgreSQL of tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { withConnection } from '../../src/team/board/connection.ts';
import { freePort, IS_ROOT, NOBODY, type Postgres } from './postgres-server.ts';
import { removeTree } from './remove-tree.ts';
import { until } from './until.ts';

const program = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((it) => existsSync(it));

/** Whether it is installed. */
export const hasPgbouncer = program !== undefined;

/** A pooler before the server on that port. Everybody becomes the user `admin`. */
export async function startPgbouncer(serverPort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const settings = [
    // With `any` everybody becomes the user that is named here.
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort} user=admin`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'ignore_startup_parameters = extra_float_digits,options',
    `logfile = ${join(folder, 'log')}`,
  ];
  writeFileSync(join(folder, 'ini'), `${settings.join('\n')}\n`);
  if (IS_ROOT) for (const it of [folder, join(folder, 'ini')]) chownSync(it, NOBODY, NOBODY);
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--pdeathsig=KILL'];
  const asUser = IS_ROOT ? ['setpriv', ...ids] : [];
  const [file = '', ...args] = [...asUser, program ?? '', join(folder, 'ini')];
  const running = spawn(file, args, { stdio: 'ignore' });
  await until('PgBouncer answers', () =>
    withConnection(`postgres://admin@127.0.0.1:${port}/postgres`, 2_000, (query) =>
      query('SELECT 1'),
    ).catch(() => false),
  );
  return {
    port,
    async stop(): Promise<void> {
      const ended = once(running, 'exit');
      running.kill('SIGKILL');
      await ended;
      removeTree(folder);
    },
  };
}

/**
 * A group of tests with a pooler. Where none is installed they are skipped, and the name of the group says why.
 *
 * @param tests are given what makes an address lead through it.
 */
export function withPgbouncer(
  server: Postgres,
  tests: (pooled: (url: string) => string) => void,
): void {
  const why = 'behind PgBouncer (skipped: it is not installed; `apt-get install pgbouncer`)';
  if (!hasPgbouncer) process.stdout.write(`${why}\n`);
  describe.skipIf(!hasPgbouncer)(hasPgbouncer ? 'behind PgBouncer' : why, () => {
    let pooler: Awaited<ReturnType<typeof startPgbouncer>> | undefined;
    beforeAll(async () => {
      pooler = await startPgbouncer(server.port);
    });
    afterAll(() => pooler?.stop());
    tests((url) => Object.assign(new URL(url), { port: String(pooler?.port) }).href);
  });
}
