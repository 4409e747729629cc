/** From what sessions said to proposals, and from proposals to notes and rules. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { promptSubmit } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';

function project() {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  mkdirSync(join(folder, 'migrations'), { recursive: true });
  writeFileSync(join(folder, 'migrations/001.sql'), 'CREATE TABLE a (b);\n');
  const run = (...argv: string[]) => command(box, folder, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const asked = (session: string, prompt: string) =>
    box.hook('prompt-submit', { ...promptSubmit(folder), session_id: session, prompt });
  const note = async (path: string, title: string, ...more: string[]): Promise<string> =>
    (await json('note', 'add', `project/${path}`, title, ...more)).id;
  return { box, folder, run, json, asked, note };
}

const operations = (proposals: readonly { operation: unknown }[]) =>
  proposals.map(({ operation }) => operation);

test('what the user said in two sessions is proposed as a note and a rule, once', async () => {
  const { asked, json, run } = project();
  await asked('one', 'Add a column for prices. Never edit migrations/001.sql by hand.');
  expect((await json('dream')).proposed).toEqual([]);
  await asked('two', 'Add a table of orders. Never edit migrations/001.sql by hand!');

  const dry = await json('dream', '--dry-run');
  expect((await json('dream', 'list')).proposals).toEqual([]);
  const { proposed } = await json('dream');
  expect(proposed).toEqual(dry.proposed.map((it: object) => ({ ...it, at: expect.any(String) })));
  expect(operations(proposed)).toMatchObject([
    { op: 'create', kind: 'instruction', files: [] },
    { op: 'guard', files: 'migrations/001.sql', deny: false },
  ]);
  expect(proposed[1].evidence.map(({ session }: { session: string }) => session)).toEqual([
    'one',
    'two',
  ]);
  expect((await json('dream')).proposed).toEqual([]);

  const [created, guard] = proposed;
  expect((await run('dream', 'reject', guard.id)).stdout).toContain(`Rejected ${guard.id} guard`);
  expect((await run('dream', 'apply', '--all')).stdout).toContain(`Applied ${created.id} create`);
  const { notes } = await json('note', 'list');
  expect(notes).toMatchObject([{ kind: 'instruction', source: 'dream', status: 'active' }]);
  expect((await json('guard', 'list')).guards).toEqual([]);
  await asked('three', 'Once more: never edit migrations/001.sql by hand.');
  expect((await json('dream')).proposed).toEqual([]);
  expect((await run('dream', 'apply', guard.id)).stderr).toContain('was rejected already');
});

test('notes that say the same are merged, and of two that disagree the later one stays', async () => {
  const { json, note, run } = project();
  const first = await note('facts/a', 'Tokens expire after 900 seconds in the shop');
  const again = await note('facts/b', 'In the shop tokens expire after 900 seconds.');
  const { proposed } = await json('dream');
  expect(proposed).toHaveLength(1);
  expect(operations(proposed)[0]).toMatchObject({ op: 'merge' });
  const { into, notes } = proposed[0].operation;
  expect([into, ...notes].sort()).toEqual([first, again].sort());
  await run('dream', 'apply', proposed[0].id);
  expect((await json('note', 'list')).notes.map(({ id }: { id: string }) => id)).toEqual([into]);

  await note('facts/c', 'Tokens expire after 3600 seconds in the shop');
  const later = (await json('dream')).proposed;
  expect(operations(later)).toMatchObject([{ op: 'supersede' }]);
  expect(later[0].diff.join('\n')).toContain('3600');
  expect(later[0].why).toContain('of one day');
  await run('config', 'set', 'recall.dream', 'auto');
  await note('facts/d', 'Tokens expire after 60 seconds in the shop');
  const left = await json('dream');
  expect(operations(left.proposed)).toContainEqual(expect.objectContaining({ op: 'supersede' }));
  expect(left.applied).toEqual([]);
});

test('notes on other matters are left alone', async () => {
  const { json, note } = project();
  await note('facts/a', 'Tokens expire after 900 seconds in the shop');
  await note('facts/b', 'Sessions of admins expire after a day');
  await note('facts/c', 'Prices are stored in cents');
  expect((await json('dream')).proposed).toEqual([]);
});

test('a note whose files are all gone is proposed to be put aside', async () => {
  const { box, folder, json, note, run } = project();
  writeFileSync(join(folder, 'old.ts'), 'export {};\n');
  const id = await note('facts/old', 'The old module is slow', '--files', 'old.ts');
  expect((await json('dream')).proposed).toEqual([]);
  const { rmSync } = await import('node:fs');
  rmSync(join(folder, 'old.ts'));
  const { proposed } = await json('dream');
  expect(operations(proposed)).toEqual([{ op: 'archive', note: id }]);
  await command(box, folder, ['dream', 'apply', proposed[0].id]);
  expect((await json('note', 'show', id)).status).toBe('archived');
  expect((await run('dream')).stdout).toContain('Nothing new to propose');
});

test('with recall.dream auto notes are changed at once, and rules wait', async () => {
  const { asked, json, run } = project();
  expect((await run('config', 'set', 'recall.dream', 'auto')).exitCode).toBe(0);
  for (const session of ['one', 'two'])
    await asked(session, 'Go on with prices. Never edit migrations/001.sql by hand.');
  const { proposed, applied } = await json('dream');
  expect(applied).toEqual([proposed[0].id]);
  expect((await json('note', 'list')).notes).toHaveLength(1);
  expect(operations((await json('dream', 'list')).proposals)).toMatchObject([{ op: 'guard' }]);
});

test('a proposal whose application ended half-way is finished by the next one', async () => {
  const { asked, json, run } = project();
  for (const session of ['one', 'two'])
    await asked(session, 'Write the invoice code. Always round prices up to whole cents.');
  const [{ id, operation }] = (await json('dream')).proposed;
  const path = `project/instructions/always-round-prices-up-to-whole-cents`;
  // The note is written first; then the process ends.
  await run('note', 'add', path, operation.title, '--kind', 'instruction');
  expect((await run('dream', 'apply', id)).exitCode).toBe(0);
  expect((await json('note', 'list')).notes).toHaveLength(1);
  expect((await json('dream', 'list')).proposals).toEqual([]);
});

test('an id that is none is refused with the way out', async () => {
  const { run } = project();
  const refused = await run('dream', 'apply', 'dp-none');
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toContain('see `lanehold dream list`');
  expect((await run('dream', 'apply')).exitCode).toBe(2);
});

test('what is forgotten is gone from proposals, too', async () => {
  const { asked, json, run } = project();
  for (const session of ['one', 'two'])
    await asked(session, 'Write the code. Always call the customer Zebedee in letters.');
  expect((await json('dream')).proposed).toHaveLength(1);
  expect((await run('forget', 'Zebedee', '--yes')).exitCode).toBe(0);
  expect((await json('dream', 'list')).proposals).toEqual([]);
});
