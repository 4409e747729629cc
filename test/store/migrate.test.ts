import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Schema, schemaVersion } from '../../src/store/connect.ts';
import { evidenceStore } from '../../src/store/evidence.ts';
import { openStore } from '../../src/store/open.ts';
import { runTogether } from '../support/program.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { filled, home, projectCount } from './filled.ts';

const WRITER = join(import.meta.dirname, 'writer.ts');
const MIGRATIONS = join(import.meta.dirname, '../../migrations');

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const OWN = readdirSync(MIGRATIONS).filter((it) => it.endsWith('.sql'));
const VERSION = OWN.length;

/** The package's migrations, and some that this test adds: SQL by name, in order. */
function schemaWith(box: Sandbox, added: Readonly<Record<string, string>>): Schema {
  for (const name of OWN) box.write(`migrations/${name}`, readFileSync(join(MIGRATIONS, name)));
  const all = Object.entries(added);
  for (const [at, [name, sql]] of all.entries()) {
    const number = String(VERSION + 1 + at).padStart(3, '0');
    box.write(`migrations/${number}_${name}.sql`, sql);
  }
  return { version: VERSION + all.length, migrations: join(box.root, 'migrations') };
}

describe('an older database', () => {
  const added = {
    add: 'CREATE TABLE added (it TEXT) STRICT; INSERT INTO added VALUES (1);',
    change: "UPDATE added SET it = it || 'st';",
  };

  test('is brought up to date in order, after a backup that only its owner can read', async () => {
    const box = sandbox();
    const { database, backups } = await filled(box);
    const before = readFileSync(database);
    const store = await openStore(home(box), schemaWith(box, added));
    expect(schemaVersion(store.db)).toBe(VERSION + 2);
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
    expect(schemaVersion(restored.db)).toBe(VERSION);
    expect(restored.db.pragma('journal_mode', { simple: true })).toBe('wal');
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
    const schema = schemaWith(box, { ...added, broken: sql });
    await expect(openStore(home(box), schema)).rejects.toMatchObject({
      code: 'STORE_MIGRATION',
      message: expect.stringContaining('_broken.sql'),
      hint: expect.any(String),
    });
    const store = await openStore(home(box));
    expect(schemaVersion(store.db)).toBe(VERSION);
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
    expect(projectCount(store)).toBe(41);
    expect(store.db.prepare('SELECT it FROM added').all()).toEqual([{ it: '1st' }]);
    store.close();
    expect(readdirSync(backups)).toHaveLength(1);
  });
});

test('a process that is killed while it upgrades leaves the old database or the new one', async () => {
  const slow = `CREATE TABLE half (it INTEGER) STRICT;
    WITH RECURSIVE n (it) AS (SELECT 1 UNION ALL SELECT it + 1 FROM n WHERE it < 400000)
    INSERT INTO half SELECT it FROM n;`;
  const box = sandbox();
  await filled(box);
  const schema = schemaWith(box, { slow });
  const seen: number[] = [];
  for (const afterMs of [20, 80, 150, 250]) {
    const args = [WRITER, 'w', '0', JSON.stringify(schema)];
    const child = spawn(process.execPath, args, {
      env: box.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    setTimeout(() => child.kill('SIGKILL'), afterMs);
    await once(child, 'close');
    const db = new Sqlite(home(box).database);
    const half = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get();
    seen.push(schemaVersion(db));
    expect(half).toBe(schemaVersion(db) === VERSION ? 0 : 1);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  }
  expect(seen).toContain(VERSION);
  const store = await openStore(home(box), schema);
  expect(store.db.prepare('SELECT count(*) FROM half').pluck().get()).toBe(400_000);
  expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toHaveLength(300);
  store.close();
});
