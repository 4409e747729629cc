/** Notes over time: edited, superseded, suggested, and carried from one project to another. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { takeLock } from '../../src/base/process/held-lock.ts';
import { lockFile, shortHash } from '../../src/base/process/with-lock.ts';
import { isOutdated } from '../../src/recall/anchors.ts';
import { type Suggestion, suggest } from '../../src/recall/suggestions.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { command } from '../support/command.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { promptSubmit } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';

function projects() {
  const box = sandbox();
  const folderOf = (name: string) => {
    const folder = join(box.root, name);
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'src/db.ts'), 'export const db = 1;\n');
    return folder;
  };
  const [shop, other] = [folderOf('shop'), folderOf('other')];
  const run = (...argv: string[]) => command(box, shop, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const elsewhere = (...argv: string[]) => command(box, other, argv);
  const found = async (...words: string[]) => {
    const { hits } = await json('recall', 'search', ...words);
    return hits.map(({ title }: { title: string }) => title);
  };
  return { box, shop, run, json, elsewhere, found };
}

test('a note is about a file of any number of lines, whatever its own file says of them', async () => {
  const { shop, json } = projects();
  writeFileSync(join(shop, 'src/rows.csv'), 'a\n'.repeat(200_000));
  const { id } = await json('note', 'add', 'project/rows', 'Rows', '--files', 'src/rows.csv');
  expect((await json('note', 'show', id)).outdated).toEqual({ changed: [], gone: [] });

  // A file of a repository's notes may say anything.
  const anchors = { 'src/rows.csv': 'lines:100000:abcdefabcdef' };
  expect(cpuMs(() => isOutdated(shop, { anchors }))).toBeLessThan(1500);
});

test.each([
  ['a line beyond the end', 'export const db = 1;\n', 'See db.ts:99'],
  ['line 0', 'export const db = 1;\n', 'See db.ts:0'],
  ['an empty file', '', 'See db.ts:1'],
  ['empty lines', 'export const db = 1;\n\n\n\n\n\n\n\n', 'See db.ts:6'],
])('a note on %s is about the file, and out of date when that changes', async (_, text, title) => {
  const { shop, json } = projects();
  writeFileSync(join(shop, 'src/db.ts'), text);
  const { id } = await json('note', 'add', 'project/db', title, '--files', 'src/db.ts');
  expect((await json('note', 'show', id)).outdated).toEqual({ changed: [], gone: [] });
  writeFileSync(join(shop, 'src/db.ts'), '\nexport const pool = 2;\n\n\n\n\n\n');
  expect((await json('note', 'show', id)).outdated.changed).toEqual(['src/db.ts']);
});

test('a note that was bound to no line is asked about', () => {
  const { shop } = projects();
  expect(isOutdated(shop, { anchors: { 'src/db.ts': 'lines:0:e3b0c44298fc' } })).toBe(true);
});

test('an edit keeps the earlier text as superseded, and one of conditions does not', async () => {
  const { shop, run, json, found } = projects();
  const add = ['note', 'add', 'project/decisions/db', 'SQLite in one file', '--kind', 'decision'];
  const first = await json(...add, '--files', 'src/db.ts', '--body', 'Simple to back up');
  const bound = await json('note', 'edit', first.id, '--commands', 'npm run migrate');
  expect(bound).toMatchObject({
    id: first.id,
    commands: ['npm run migrate'],
    files: ['src/db.ts'],
  });

  appendFileSync(join(shop, 'src/db.ts'), '// changed\n');
  expect((await json('note', 'show', first.id)).outdated.changed).toEqual(['src/db.ts']);
  const second = await json('note', 'edit', 'project/decisions/db', '--title', 'SQLite per tenant');
  expect(second.outdated).toEqual({ changed: [], gone: [] });
  expect(second).toMatchObject({
    ...{ path: 'project/decisions/db', body: 'Simple to back up', files: ['src/db.ts'] },
    links: [`supersedes:${first.id}`],
  });
  expect(second.id).not.toBe(first.id);
  const old = await json('note', 'show', first.id);
  expect(old).toMatchObject({ status: 'superseded', title: 'SQLite in one file' });
  expect(old.links).toEqual([`superseded-by:${second.id}`]);
  expect(await found('sqlite')).toEqual(['SQLite per tenant']);
  expect((await json('note', 'list')).notes).toHaveLength(1);
  expect((await json('note', 'list', '--all')).notes).toHaveLength(2);

  await run('note', 'add', 'project/decisions/pg', 'Postgres now', '--supersedes', second.id);
  expect(await found('sqlite', 'postgres')).toEqual(['Postgres now']);
  const glob = await json('note', 'edit', 'project/decisions/pg', '--files', 'src/**');
  expect(glob.files).toEqual(['src/**']);
  expect((await json('note', 'confirm', glob.id)).status).toBe('active');
  // Whoever was asked about the earlier text cannot bring it back beside the one that corrects it.
  const { stdout: text } = await run('note', 'show', first.id);
  expect(text).not.toContain('note confirm');
  expect((await run('note', 'confirm', first.id)).stderr).toContain('was superseded and stays');

  for (const [argv, why] of [
    [['pg'], 'there is no note'],
    [[glob.id], 'nothing is said to change'],
    [[first.id, '--title', 'x'], 'was superseded and stays'],
    [[glob.id, '--files', 'gone.ts'], 'there is no file gone.ts'],
    [[glob.id, '--kind', 'rumour'], 'there is no kind'],
    [[glob.id, '--title', 'ghp_0123456789abcdefghijABCDEFGHIJ456789'], 'most of this note'],
  ] as const) {
    expect((await run('note', 'edit', ...argv)).stderr, argv.join(' ')).toContain(why);
  }
  expect((await json('note', 'list', '--all')).notes).toHaveLength(3);
});

test('a suggestion waits until it is confirmed or rejected, and is made once', async () => {
  const { box, run, json, found } = projects();
  await run('note', 'list');
  const store = await openStore(homeOf(box.env));
  onTestFinished(() => store.close());
  const projectId = projectStore(store).find(join(box.root, 'shop'));
  const made: Suggestion = {
    ...{ projectId: projectId ?? 0, kind: 'gotcha', agent: null, session: null },
    ...{ title: 'Run the build before the tests', body: '', why: 'npm test failed, then passed' },
    ...{ files: ['src/db.ts'], commands: ['npm test'] },
  };
  const make = (it: Suggestion) => store.write(() => suggest(store, it, new Date()));
  const kept = make(made) ?? '';
  const dropped = make({ ...made, title: 'Never touch the header' }) ?? '';
  expect(make(made)).toBeUndefined();

  expect(await found('build', 'tests')).toEqual([]);
  const { stdout } = await run('note', 'suggestions');
  expect(stdout).toContain('gotcha: Run the build before the tests');
  expect(stdout).toContain('because npm test failed, then passed');
  const note = await json('note', 'confirm', kept);
  expect(note).toMatchObject({ id: kept, status: 'active', commands: ['npm test'] });
  expect(note.path).toMatch(/^project\/gotchas\/run-the-build-before-the-tests-/);
  expect(await found('build', 'tests')).toEqual(['Run the build before the tests']);
  expect((await run('note', 'reject', dropped)).exitCode).toBe(0);
  expect(make({ ...made, title: 'Never touch the header' })).toBeUndefined();
  expect((await json('note', 'suggestions')).suggestions).toEqual([]);
});

test('notes are exported as Markdown and taken in elsewhere, without changing what is there', async () => {
  const { box, run, json, elsewhere, found } = projects();
  await run('note', 'add', 'project/decisions/db', 'SQLite in one file', '--kind', 'decision');
  await run('note', 'add', 'global/style', 'Small commits');
  const folder = join(box.root, 'kept');
  expect((await run('note', 'export', folder)).stdout).toContain('2 notes written');
  expect((await run('note', 'export', folder)).exitCode).toBe(0);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
    expect.arrayContaining(['global/style.md', 'project/decisions/db.md']),
  );
  box.write('kept/Working here.md', '# Use tabs\n\nNot spaces.\n');
  box.write('kept/project/broken.md', '---\nkind: rumour\n---\n');
  box.write('bad/a.md', '---\nid: lh-1234\nkind: rumour\ntitle: A\n---\n');
  box.write('bad/b.md', '---\nid: lh-1234\nkind: fact\n---\n');

  const taken = JSON.parse((await elsewhere('note', 'import', folder, '--json')).stdout);
  expect(taken.imported).toEqual(['project/working-here', 'project/decisions/db']);
  expect(taken.unchanged).toEqual(['global/style']);
  expect(taken.skipped).toMatchObject([{ file: join(folder, 'project/broken.md') }]);
  const bad = await elsewhere('note', 'import', join(box.root, 'bad'));
  expect(bad.stdout).toMatch(
    /a.md: line 3: `kind` is none of .*gotcha.*\n.*b.md: .*`title` is missing/,
  );
  expect(await found('sqlite')).toEqual(['SQLite in one file']);
  const shown = await elsewhere('note', 'show', 'project/working-here');
  expect(shown.stdout).toContain('Use tabs');

  await elsewhere('note', 'edit', 'project/decisions/db', '--title', 'Postgres');
  const again = await elsewhere('note', 'import', folder);
  expect(again.stdout).toContain('there is another note at project/decisions/db');
  expect((await elsewhere('note', 'export', folder)).stderr).toContain('has another content');

  // A document with the id of a note of another project takes nothing from it.
  const [note] = (await json('note', 'list')).notes;
  const text = readFileSync(note.file, 'utf8').replace('SQLite in one file', 'Taken over');
  box.write('other/.lanehold/notes/stolen.md', text);
  await elsewhere('note', 'list');
  expect((await json('recall', 'show', note.id)).title).toBe('SQLite in one file');
});

test('what a user wants always, and what an agent decided, is suggested and told to nobody', async () => {
  const { box, shop, run, json, found } = projects();
  mkdirSync(box.laneholdHome, { recursive: true });
  const send = (event: 'prompt-submit' | 'stop', more: object) =>
    box.hook(event, { ...promptSubmit(shop), ...more }, { cwd: shop });
  const work = async () => {
    await send('prompt-submit', { prompt: 'Add refunds. Never log card numbers. Keep it small.' });
    const said = 'Added refunds. Decision: we use a queue instead of a cron job.';
    await send('stop', { hook_event_name: 'Stop', last_assistant_message: said });
  };
  await work();
  await work();
  const titles = async () => {
    const { suggestions } = await json('note', 'suggestions');
    return suggestions.map(({ kind, title }: Record<string, string>) => `${kind}: ${title}`).sort();
  };
  expect(await titles()).toEqual([
    'decision: we use a queue instead of a cron job.',
    'instruction: Never log card numbers.',
  ]);
  const { suggestions } = await json('note', 'suggestions');
  const rule = suggestions.find(({ kind }: { kind: string }) => kind === 'instruction');
  expect(rule.why).toMatch(/^the user said so in session se-[0-9a-f]{8}$/);
  expect(await found('log', 'card', 'numbers')).not.toContain('Never log card numbers.');
  expect((await run('note', 'confirm', rule.id)).stdout).toContain(
    'project/instructions/never-log',
  );
  expect(await found('log', 'card', 'numbers')).toContain('Never log card numbers.');
  await work();
  expect(await titles()).toEqual(['decision: we use a queue instead of a cron job.']);

  const [{ id: session }] = (await json('session', 'list')).sessions;
  const { body } = await json('recall', 'show', session);
  expect(body).toContain('Decided: we use a queue instead of a cron job.');

  // Who has confirmed it is shown, until its text is another one.
  const [{ id }] = (await json('note', 'suggestions')).suggestions;
  const agent = { env: { LANEHOLD_AGENT: 'helper' } };
  const by = /by lanehold, confirmed by helper/;
  expect((await command(box, shop, ['note', 'confirm', id], agent)).stdout).toMatch(by);
  expect((await run('note', 'show', id)).stdout).toMatch(by);
  expect((await run('recall', 'show', id)).stdout).toMatch(by);
  expect((await run('note', 'edit', id, '--title', 'A queue')).stdout).not.toMatch(/confirmed by/);
});

test('notes are taken in only after another process has changed its own', async () => {
  const { box, shop, run, json } = projects();
  const folder = join(box.root, 'kept');
  await run('note', 'add', 'project/a', 'First');
  box.write('kept/b.md', '# Taken in\n');
  const { locks } = homeOf(box.env);
  const lock = takeLock(lockFile(locks, 'recall', shortHash('notes')));
  const taking = command(box, shop, ['note', 'import', folder, '--json']);
  await Promise.race([taking, setTimeout(300)]);
  // The other process writes at the same path.
  const { file } = await json('note', 'show', 'project/a');
  const text = readFileSync(file, 'utf8')
    .replace('First', 'Second')
    .replace(/lh-\w+/, 'lh-00aa');
  writeFileSync(file.replace('a.md', 'b.md'), text);
  lock?.discard();
  expect(JSON.parse((await taking).stdout)).toMatchObject({ imported: [], skipped: [{}] });
  expect((await json('note', 'show', 'project/b')).title).toBe('Second');
});
