import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CURRENT_SCHEMA, type Schema, schemaVersion } from '../../src/store/connect.ts';
import { evidenceStore } from '../../src/store/evidence.ts';
import { type Home, homeOf } from '../../src/store/home.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { runNode, runTogether } from '../support/program.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { DAMAGE } from './damage.ts';

const WRITER = join(import.meta.dirname, 'writer.ts');
const MIGRATIONS = join(import.meta.dirname, '../../migrations');

const NOW = new Date('2026-01-02T03:04:05Z');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function home({ env }: Sandbox): Home {
  return homeOf(env);
}

/** A store with one project, some evidence, and enough of both to fill a few dozen pages. */
async function filled(box: Sandbox): Promise<Home> {
  const store = await openStore(home(box));
  const evidence = evidenceStore(store);
  store.write(() => {
    const projectId = projectStore(store).ensure('/project', NOW);
    for (let at = 0; at < 300; at += 1) {
      const fingerprint = at.toString(16).padStart(64, '0');
      evidence.add({ ...PASSED, projectId, fingerprint, runs: [RUN] }, NOW);
    }
  });
  store.close();
  return home(box);
}

const RUN = {
  command: 'npm test',
  cwd: '.',
  outcome: 'exited',
  exitCode: 0,
  detail: null,
  durationMs: 12,
  outputBytes: 3,
  outputDigest: 'd'.repeat(64),
  outputTail: 'ok\n'.repeat(100),
  outputFile: null,
} as const;
const PASSED = {
  feature: 'checkout',
  kind: 'passed',
  expiresAt: null,
  actor: 'ci',
  session: null,
  reason: null,
  revision: null,
} as const;

/** The package's migrations, and some that this test adds. */
function schemaWith(box: Sandbox, added: Readonly<Record<string, string>>): Schema {
  const first = readFileSync(join(MIGRATIONS, '001_initial.sql'));
  box.write('migrations/001_initial.sql', first);
  for (const [name, sql] of Object.entries(added)) box.write(`migrations/${name}`, sql);
  const version = 1 + Object.keys(added).length;
  return { version, migrations: join(box.root, 'migrations') };
}

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
  ['lets readers read while one writes', 'journal_mode', 'wal'],
])('every connection %s', async (_, pragma, value) => {
  const box = sandbox();
  for (const opening of ['first', 'second']) {
    const store = await openStore(home(box));
    expect([opening, store.db.pragma(pragma, { simple: true })]).toEqual([opening, value]);
    store.close();
  }
});

describe('an older database', () => {
  const added = {
    '002_add.sql': 'CREATE TABLE added (it TEXT) STRICT; INSERT INTO added VALUES (1);',
    '003_change.sql': "UPDATE added SET it = it || 'st';",
  };

  test('is brought up to date in order, after a backup that only its owner can read', async () => {
    const box = sandbox();
    const { database, backups } = await filled(box);
    const before = readFileSync(database);
    const store = await openStore(home(box), schemaWith(box, added));
    expect(schemaVersion(store.db)).toBe(3);
    expect(store.db.prepare('SELECT it FROM added').all()).toEqual([{ it: '1st' }]);
    expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toHaveLength(300);
    store.close();

    const [backup, ...others] = readdirSync(backups);
    expect(others).toEqual([]);
    const copy = join(backups, String(backup));
    expect([modeOf(backups), modeOf(copy)]).toEqual(['700', '600']);
    box.env.LANEHOLD_HOME = join(box.root, 'restored');
    box.write('restored/lanehold.db', readFileSync(copy));
    const restored = await openStore(home(box));
    expect(schemaVersion(restored.db)).toBe(1);
    expect(evidenceStore(restored).ofFeature(1, 'checkout', 1000)).toHaveLength(300);
    restored.close();
    expect(before.length).toBeGreaterThan(10 * 4096);
  });

  test.each([
    ['does not parse', 'CREATE TABLE half (it TEXT); CREATE TABBLE;'],
    ['breaks a promise', 'CREATE TABLE half (it TEXT); DELETE FROM evidence;'],
  ])('stays as it was when a migration %s', async (_, sql) => {
    const box = sandbox();
    await filled(box);
    const schema = schemaWith(box, { ...added, '004_broken.sql': sql });
    await expect(openStore(home(box), schema)).rejects.toMatchObject({
      code: 'STORE_MIGRATION',
      message: expect.stringContaining('004_broken.sql'),
      hint: expect.any(String),
    });
    const store = await openStore(home(box));
    expect(schemaVersion(store.db)).toBe(1);
    const tables = store.db.prepare(
      "SELECT name FROM sqlite_schema WHERE name IN ('added', 'half')",
    );
    expect(tables.all()).toEqual([]);
    expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toHaveLength(300);
    store.close();
  });

  test('is brought up to date once by twenty processes that open it at once', async () => {
    const box = sandbox();
    const { backups } = await filled(box);
    const schema = JSON.stringify(schemaWith(box, added));
    const writers = Array.from({ length: 20 }, (_, at) => [WRITER, `w${at}`, '2', schema]);
    const endings = await runTogether(writers, { cwd: box.root, env: box.env });
    for (const it of endings) expect(it).toMatchObject({ exitCode: 0, stderr: '' });
    const store = await openStore(home(box), schemaWith(box, added));
    expect(countOf(store.db, 'projects')).toBe(41);
    expect(store.db.prepare('SELECT it FROM added').all()).toEqual([{ it: '1st' }]);
    store.close();
    expect(readdirSync(backups)).toHaveLength(1);
  });
});

test('twenty processes that open a database that is not there yet all succeed', async () => {
  const box = sandbox();
  const writers = Array.from({ length: 20 }, (_, at) => [WRITER, `w${at}`, '2']);
  const endings = await runTogether(writers, { cwd: box.root, env: box.env });
  for (const it of endings) expect(it).toMatchObject({ exitCode: 0, stderr: '' });
  const store = await openStore(home(box));
  expect(countOf(store.db, 'projects')).toBe(40);
  expect(store.db.pragma('journal_mode', { simple: true })).toBe('wal');
  store.close();
});

test('no writer of thirty-two is turned away, and no row is lost', async () => {
  const box = sandbox();
  (await openStore(home(box))).close();
  const writers = Array.from({ length: 32 }, (_, at) => [WRITER, `w${at}`, '20']);
  const endings = await runTogether(writers, { cwd: box.root, env: box.env });
  for (const it of endings) expect(it).toMatchObject({ exitCode: 0, stderr: '' });
  const store = await openStore(home(box));
  expect(countOf(store.db, 'projects')).toBe(32 * 20);
  store.close();
});

function countOf(db: import('better-sqlite3').Database, table: 'projects'): unknown {
  return db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
}

test('a newer database is refused and left alone', async () => {
  const box = sandbox();
  const { database } = await filled(box);
  const store = await openStore(home(box));
  store.db.pragma('user_version = 7');
  store.close();
  const before = readFileSync(database);
  await expect(openStore(home(box))).rejects.toMatchObject({
    code: 'STORE_TOO_NEW',
    message: `${database} has schema 7, this lanehold knows up to 1`,
    hint: expect.stringContaining('upgrade lanehold'),
  });
  expect(await box.cli(box.repo(), 'feature', 'list')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: .* has schema 7, .*\nhint: upgrade .*\n$/),
  });
  expect(readFileSync(database)).toEqual(before);
});

test('a database that stays locked is reported, and nothing of the write is there', async () => {
  const box = sandbox();
  const { database } = await filled(box);
  const holder = await openStore(home(box));
  holder.db.exec('BEGIN IMMEDIATE');
  const waiting = await runNode(WRITER, ['late', '1'], { cwd: box.root, env: box.env });
  expect(waiting).toMatchObject({ exitCode: 1, stdout: 'ready\n' });
  expect(waiting.stderr).toContain(`another process has kept the database ${database} locked`);
  holder.db.exec('ROLLBACK');
  expect(countOf(holder.db, 'projects')).toBe(1);
  holder.close();
});

describe.each(Object.entries(DAMAGE))('a database with %s', (_, damage) => {
  test('is reported, left alone, and set aside on request', async () => {
    const box = sandbox();
    const repo = box.repo();
    const { database, backups } = await filled(box);
    const damaged = damage(readFileSync(database));
    writeFileSync(database, damaged);

    const list = await box.cli(repo, 'feature', 'list');
    expect(list).toMatchObject({ exitCode: 1, stdout: '' });
    expect(list.stderr).toMatch(
      /^error: the database \S+ is damaged\nhint: .*doctor --repair.*\n$/,
    );
    expect(await box.cli(repo, 'doctor')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('is damaged'),
    });
    expect(readFileSync(database)).toEqual(damaged);

    const repair = await box.cli(repo, 'doctor', '--repair');
    expect(repair.stderr).toContain('set the damaged database aside');
    const kept = readdirSync(backups).filter((name) => name.endsWith('.db'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(backups, String(kept[0])))).toEqual(damaged);
    expect(await box.cli(repo, 'feature', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

test('damage that only shows when a record is read is reported as damage, too', async () => {
  const box = sandbox();
  const repo = box.repo();
  await box.cli(repo, 'feature', 'add', 'checkout', '--files', 'src/**', '--smoke', 'true');
  box.write('repo/src/a.txt', 'a\n');
  await box.cli(repo, 'feature', 'verify', 'checkout');
  const { database, backups } = await filled(box);
  const bytes = readFileSync(database);
  const last = bytes.length - 30 * 4096;
  writeFileSync(database, bytes.fill(0x5a, last));

  const history = await box.cli(repo, 'feature', 'history', 'checkout');
  expect(history).toMatchObject({ exitCode: 1, stdout: '' });
  expect(history.stderr).toMatch(
    /^error: the database \S+ is damaged\nhint: .*doctor --repair.*\n$/,
  );
  await box.cli(repo, 'doctor', '--repair');
  expect(readdirSync(backups).filter((name) => name.endsWith('.db'))).toHaveLength(1);
});

test('a database that is whole is never set aside', async () => {
  const box = sandbox();
  const { database } = await filled(box);
  const repair = await box.cli(box.repo(), 'doctor', '--repair');
  expect(repair.stderr).toContain('nothing to repair');
  const store = await openStore(home(box));
  expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toHaveLength(300);
  store.close();
  expect(statSync(database).isFile()).toBe(true);
});

test.each([
  "UPDATE evidence SET kind = 'passed'",
  'DELETE FROM evidence',
  'DELETE FROM evidence WHERE id = 1',
  'UPDATE evidence_runs SET exit_code = 0',
  'DELETE FROM evidence_runs',
  'INSERT OR REPLACE INTO evidence SELECT * FROM evidence WHERE id = 1',
  'REPLACE INTO evidence_runs SELECT * FROM evidence_runs WHERE evidence_id = 1',
  'UPDATE OR REPLACE evidence SET id = 2 WHERE id = 1',
  'DELETE FROM projects',
])('evidence withstands %s', async (sql) => {
  const box = sandbox();
  await filled(box);
  const store = await openStore(home(box));
  const before = evidenceStore(store).ofFeature(1, 'checkout', 1000);
  expect(() => store.db.exec(sql)).toThrow(/evidence is never|FOREIGN KEY/);
  expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toEqual(before);
  store.close();
});
