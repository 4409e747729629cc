import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { CURRENT_SCHEMA } from '../../src/store/connect.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { beforeCommand } from '../support/payloads.ts';
import { runNode, runTogether } from '../support/program.ts';
import { sandbox } from '../support/sandbox.ts';
import { filled, home, NOW, projectCount } from './filled.ts';

const WRITER = join(import.meta.dirname, 'writer.ts');
const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** Well below what agents give a hook; the lock alone is waited for for 8 s. */
const HOOK_LIMIT_MS = 18_000;

/**
 * Each: together they need about a second of the disk. A writer that waits for 5 s gets an error, which
 * could happen on a slow machine if the writers wrote for so long without a pause.
 */
const ROWS = 6;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the first opening', () => {
  test('makes a database that only its owner can read, whatever the umask', async () => {
    const box = sandbox();
    const umask = process.umask(0);
    const store = await openStore(home(box)).finally(() => process.umask(umask));
    store.write(() => projectStore(store).ensure('/project', NOW));
    expect(modeOf(box.laneholdHome)).toBe('700');
    for (const name of readdirSync(box.laneholdHome)) {
      expect([name, modeOf(join(box.laneholdHome, name))]).toEqual([name, '600']);
    }
    expect(readdirSync(box.laneholdHome)).toContain('lanehold.db-wal');
    store.close();
  });

  test('leaves a folder that was there as it was', async () => {
    const box = sandbox();
    box.env.LANEHOLD_HOME = join(box.root, 'shared');
    box.write('shared/other.txt', 'x');
    chmodSync(box.env.LANEHOLD_HOME, 0o755);
    (await openStore(home(box))).close();
    expect(modeOf(box.env.LANEHOLD_HOME)).toBe('755');
    expect(modeOf(home(box).database)).toBe('600');
  });

  test('keeps no backup of nothing', async () => {
    const box = sandbox();
    (await openStore(home(box))).close();
    expect(readdirSync(box.laneholdHome)).not.toContain('backups');
  });
});

test('the schema that the program knows is that of its newest migration', () => {
  const numbers = readdirSync(MIGRATIONS)
    .filter((it) => it.endsWith('.sql'))
    .sort()
    .map((name) => {
      expect(name).toMatch(/^\d{3}_[a-z0-9_]+\.sql$/);
      return Number(name.slice(0, 3));
    });
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  expect(CURRENT_SCHEMA).toEqual({ version: numbers.length });
});

test.each([
  ['writes through to the disk', 'synchronous', 2],
  ['keeps references', 'foreign_keys', 1],
  ['waits for its turn', 'busy_timeout', 5000],
  ['keeps the journal short', 'wal_autocheckpoint', 100],
  ['lets readers read while one writes', 'journal_mode', 'wal'],
])('every connection %s', async (_, pragma, value) => {
  const box = sandbox();
  for (const opening of ['first', 'second']) {
    const store = await openStore(home(box));
    expect([opening, store.db.pragma(pragma, { simple: true })]).toEqual([opening, value]);
    store.close();
  }
});

test.concurrent('twenty processes that open a database that is not there yet all succeed', async (context) => {
  const { expect } = context;
  const box = sandbox(context.onTestFinished);
  const writers = Array.from({ length: 20 }, (_, at) => [WRITER, `w${at}`, '2']);
  const endings = await runTogether(writers, { cwd: box.root, env: box.env });
  for (const it of endings) expect(it).toMatchObject({ exitCode: 0, stderr: '' });
  const store = await openStore(home(box));
  expect(projectCount(store)).toBe(40);
  expect(store.db.pragma('journal_mode', { simple: true })).toBe('wal');
  store.close();
});

test.concurrent('no writer of thirty-two is turned away, and no row is lost', async (context) => {
  const { expect } = context;
  const box = sandbox(context.onTestFinished);
  (await openStore(home(box))).close();
  const writers = Array.from({ length: 32 }, (_, at) => [WRITER, `w${at}`, String(ROWS)]);
  const endings = await runTogether(writers, { cwd: box.root, env: box.env });
  for (const it of endings) expect(it).toMatchObject({ exitCode: 0, stderr: '' });
  const store = await openStore(home(box));
  expect(projectCount(store)).toBe(32 * ROWS);
  store.close();
});

test('a newer database is refused and left alone', async () => {
  const box = sandbox();
  const { database } = await filled(box);
  const store = await openStore(home(box));
  store.db.pragma(`user_version = ${CURRENT_SCHEMA.version + 1}`);
  store.close();
  const before = readFileSync(database);
  await expect(openStore(home(box))).rejects.toMatchObject({
    code: 'STORE_TOO_NEW',
    message: `${database} has schema ${CURRENT_SCHEMA.version + 1}, this lanehold knows up to ${CURRENT_SCHEMA.version}`,
    hint: expect.stringContaining('upgrade lanehold'),
  });
  expect(await box.cli(box.repo(), 'feature', 'list')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: .* has schema \d+, .*\nhint: upgrade .*\n$/),
  });
  expect(readFileSync(database)).toEqual(before);
});

test.concurrent('a migration that does not end holds a push, and no hook for long', async (context) => {
  const { expect } = context;
  const box = sandbox(context.onTestFinished);
  const repo = box.repo();
  box.commit(repo);
  const lock = new Sqlite(box.write('home/.lanehold/lanehold.db.migrate-lock', ''));
  lock.exec('BEGIN EXCLUSIVE');
  const start = performance.now();
  const push = await box.startHook('before-tool', beforeCommand(repo, 'git push origin main'));
  expect(performance.now() - start).toBeLessThan(HOOK_LIMIT_MS);
  expect(push).toMatchObject({ exitCode: 2, stderr: '' });
  expect(push.stdout).toContain('locked for too long');
  lock.close();
});

test.concurrent('a database that stays locked is reported, and nothing of the write is there', async (context) => {
  const { expect } = context;
  const box = sandbox(context.onTestFinished);
  const { database } = await filled(box);
  const holder = await openStore(home(box));
  holder.db.exec('BEGIN IMMEDIATE');
  const waiting = await runNode(WRITER, ['late', '1'], { cwd: box.root, env: box.env });
  expect(waiting).toMatchObject({ exitCode: 1, stdout: 'ready\n' });
  expect(waiting.stderr).toContain(`another process has kept the database ${database} locked`);
  holder.db.exec('ROLLBACK');
  expect(projectCount(holder)).toBe(1);
  holder.close();
});
