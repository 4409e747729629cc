import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { evidenceStore } from '../../src/store/evidence.ts';
import { openStore } from '../../src/store/open.ts';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { DAMAGE } from './damage.ts';
import { filled, home } from './filled.ts';

describe.each(Object.entries(DAMAGE))('a database with %s', (_, damage) => {
  test('is reported, left as it is, and quarantined on request', async () => {
    const box = sandbox();
    const repo = box.repo();
    const { database, backups } = await filled(box);
    const damaged = damage(readFileSync(database));
    writeFileSync(database, damaged);

    const list = await command(box, repo, ['feature', 'list']);
    expect(list).toMatchObject({ exitCode: 1, stdout: '' });
    expect(list.stderr).toMatch(
      /^error: the database \S+ is damaged\nhint: .*doctor --repair.*\n$/,
    );
    expect(await command(box, repo, ['doctor'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('is damaged'),
    });
    expect(readFileSync(database)).toEqual(damaged);

    const repair = await command(box, repo, ['doctor', '--repair']);
    expect(repair.stderr).toContain('set the damaged database aside');
    const kept = readdirSync(backups).filter((name) => name.endsWith('.db'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(backups, String(kept[0])))).toEqual(damaged);
    expect(await command(box, repo, ['feature', 'list'])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });
});

test('damage that only shows when a record is read is reported as damage, too', async () => {
  const box = sandbox();
  const repo = box.repo();
  await command(box, repo, ['feature', 'add', 'checkout', '--files', 'src/**', '--smoke', 'true']);
  box.write('repo/src/a.txt', 'a\n');
  await command(box, repo, ['feature', 'verify', 'checkout']);
  const { database, backups } = await filled(box);
  const bytes = readFileSync(database);
  const last = bytes.length - 30 * 4096;
  writeFileSync(database, bytes.fill(0x5a, last));

  const history = await command(box, repo, ['feature', 'history', 'checkout']);
  expect(history).toMatchObject({ exitCode: 1, stdout: '' });
  expect(history.stderr).toMatch(
    /^error: the database \S+ is damaged\nhint: .*doctor --repair.*\n$/,
  );
  await command(box, repo, ['doctor', '--repair']);
  expect(readdirSync(backups).filter((name) => name.endsWith('.db'))).toHaveLength(1);
});

test('an intact database is never quarantined', async () => {
  const box = sandbox();
  const { database } = await filled(box);
  const repair = await box.cli(box.repo(), 'doctor', '--repair');
  expect(repair.stderr).toContain('nothing to repair');
  const store = await openStore(home(box));
  expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toHaveLength(300);
  store.close();
  expect(statSync(database).isFile()).toBe(true);
});
