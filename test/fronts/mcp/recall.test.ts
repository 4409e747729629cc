/** What is remembered, through the MCP server: found, written, judged; with the data of `--json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { mcpClient } from '../../support/mcp-client.ts';
import { promptSubmit, stop } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

const NOW = new Date('2026-03-04T05:06:07Z');

async function shop(options: Parameters<typeof mcpClient>[2] = {}) {
  const box = sandbox();
  const folder = box.repo('shop');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/token.ts'), 'export const expiry = 900;\n');
  const server = await mcpClient(box, folder, { now: () => NOW, ...options });
  const printed = async (...argv: string[]) =>
    JSON.parse((await command(box, folder, [...argv, '--json'], { now: NOW })).stdout);
  return { box, folder, printed, ...server };
}

test('a note is written, found, read, goes out of date and is judged', async () => {
  const { call, folder, printed, defects } = await shop();
  const files = ['src/token.ts'];
  const wish = { path: 'project/gotchas/expiry', title: 'Expiry is in seconds', kind: 'gotcha' };
  const added = await call('note', { action: 'add', ...wish, body: '900, not 3600', files });
  expect(added.data).toMatchObject({
    ...wish,
    files,
    source: 'claude-code',
    created: '2026-03-04',
  });
  const { id } = added.data;

  expect((await call('note', { action: 'list' })).data).toEqual(await printed('note', 'list'));
  const found = await call('recall', { query: 'when does the token expire' });
  expect(found.data).toEqual(await printed('recall', 'search', 'when does the token expire'));
  expect(found.data.hits[0]).toMatchObject({ id, kind: 'gotcha' });
  expect((await call('recall', { id })).text).toContain('900, not 3600');

  writeFileSync(join(folder, 'src/token.ts'), 'export const expiry = 1;\n');
  expect((await call('note', { action: 'list' })).data.notes[0].outdated.changed).toEqual(files);
  const judged = await call('note', { action: 'confirm', path: id });
  expect(judged.data).toMatchObject({ id, path: wish.path, outdated: { changed: [] } });
  expect((await call('note', { action: 'list' })).data.notes[0].outdated.changed).toEqual([]);
  await call('note', { action: 'reject', path: wish.path });
  expect((await call('recall', { query: 'token expiry' })).data.hits).toEqual([]);
  expect(defects).toEqual([]);
});

test('who calls a name and what is around a file is told as by the command', async () => {
  const { box, folder, call, printed } = await shop();
  box.write('shop/src/use.ts', "import { expiry } from './token.ts';\nsetTimeout(expiry);\n");
  box.commit(folder, 'Begin');
  await printed('index');
  const callers = await call('recall', { callers: 'expiry' });
  expect(callers.data).toEqual(await printed('recall', 'search', '--callers', 'expiry'));
  expect(callers.text).toContain('src/use.ts:2');
  const near = await call('recall', { near: 'src/token.ts' });
  expect(near.data).toEqual(await printed('recall', 'search', '--near', 'src/token.ts'));
  expect(near.data.importedBy).toEqual(['src/use.ts']);
});

test('what was inferred of a session waits to be judged', async () => {
  const { box, folder, call, printed } = await shop();
  const prompt = 'Add refunds. Never touch src/legacy in this project.';
  await box.hook('prompt-submit', { ...promptSubmit(folder), prompt });
  await box.hook('stop', { ...stop(folder), last_assistant_message: 'Done.' });
  const waiting = await call('note', { action: 'suggestions' });
  expect(waiting.data).toEqual(await printed('note', 'suggestions'));
  const [suggestion] = waiting.data.suggestions;
  expect(suggestion.title).toContain('Never touch src/legacy');
  await call('note', { action: 'confirm', path: suggestion.id });
  expect((await call('note', { action: 'list' })).data.notes).toMatchObject([
    { id: suggestion.id, status: 'active' },
  ]);
});

test('without a query it tells what a new session should know', async () => {
  const { call, printed } = await shop();
  await call('note', { action: 'add', path: 'project/token', title: 'Tokens expire in seconds' });
  const told = await call('recall');
  expect(told.data).toEqual(await printed('recall', 'briefing'));
  expect(told.text).toContain('Tokens expire in seconds');
  await call('note', { action: 'add', path: 'project/x', title: 'Turned \u202e round' });
  const { data, text } = await call('note', { action: 'list' });
  expect(JSON.stringify(data) + text).not.toContain('\u202e');
  expect(data.notes).toContainEqual(expect.objectContaining({ title: 'Turned \\u202e round' }));
});

test('input that does not fit says what does', async () => {
  const { call, defects } = await shop();
  for (const [name, input, text] of [
    [
      'recall',
      { query: 'a', id: 'b' },
      'it is not said what to recall\nNext: give `query`, `id`, `callers` or `near`',
    ],
    ['recall', { id: 'lh-none' }, 'nothing is remembered as `lh-none`'],
    ['recall', { query: 'a', limit: 0 }, '`0` is no count'],
    ['note', {}, '`action` '],
    ['note', { action: 'add', title: 'x' }, '`path` is missing\nNext: `add` needs it'],
    ['note', { action: 'add', path: 'project/x' }, '`title` is missing\nNext: `add` needs it'],
    ['note', { action: 'add', path: '../x', title: 'x' }, 'is no path of a note'],
    [
      'note',
      { action: 'add', path: 'project/x', title: 'x', files: ['none.ts'] },
      'there is no file none.ts',
    ],
    ['note', { action: 'confirm', path: 'lh-none' }, 'there is no note `lh-none`'],
  ] as const) {
    const said = await call(name, input);
    expect(said, name).toMatchObject({ isError: true, data: undefined });
    expect(said.text, name).toContain(text);
  }
  expect(defects).toEqual([]);
});
