/** What is remembered, through the MCP server: found, written, judged; with the data of `--json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { mcpClient } from '../../support/mcp-client.ts';
import { beforeEdit, promptSubmit, stop } from '../../support/payloads.ts';
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
  const added = await call('note_add', { ...wish, body: '900, not 3600', files });
  expect(added.data).toMatchObject({
    ...wish,
    files,
    source: 'claude-code',
    created: '2026-03-04',
  });
  const { id } = added.data;

  expect((await call('notes')).data).toEqual(await printed('note', 'list'));
  const found = await call('recall', { query: 'when does the token expire' });
  expect(found.data).toEqual(await printed('recall', 'search', 'when does the token expire'));
  expect(found.data.hits[0]).toMatchObject({ id, kind: 'gotcha' });
  expect((await call('recall', { id })).text).toContain('900, not 3600');

  writeFileSync(join(folder, 'src/token.ts'), 'export const expiry = 1;\n');
  expect((await call('notes')).data.notes[0].outdated.changed).toEqual(files);
  const judged = await call('note_judge', { note: id, verdict: 'confirm' });
  expect(judged.data).toEqual({ id, path: wish.path, verdict: 'confirm' });
  expect((await call('notes')).data.notes[0].outdated.changed).toEqual([]);
  await call('note_judge', { note: wish.path, verdict: 'reject' });
  expect((await call('recall', { query: 'token expiry' })).data.hits).toEqual([]);
  expect(defects).toEqual([]);
});

test('what sessions did and what was inferred of it', async () => {
  const { box, folder, call, printed } = await shop();
  const prompt = 'Add refunds. Never touch src/legacy in this project.';
  await box.hook('prompt-submit', { ...promptSubmit(folder), prompt });
  await box.hook('stop', { ...stop(folder), last_assistant_message: 'Done.' });
  const { data } = await call('timeline', { limit: 1 });
  expect(data).toEqual(await printed('recall', 'timeline', '--limit', '1'));
  const [{ session }] = data.entries;
  expect((await call('timeline', { session })).data.entries[0]).toMatchObject({ text: prompt });

  const waiting = await call('notes', { which: 'suggestions' });
  expect(waiting.data).toEqual(await printed('note', 'suggestions'));
  const [suggestion] = waiting.data.suggestions;
  expect(suggestion.title).toContain('Never touch src/legacy');
  await call('note_judge', { note: suggestion.id, verdict: 'confirm' });
  expect((await call('notes')).data.notes).toMatchObject([{ id: suggestion.id, status: 'active' }]);
});

test('what the project is, and what several sessions suggest to keep', async () => {
  const { box, folder, call, printed } = await shop();
  expect((await call('overview')).data).toEqual(await printed('scan'));
  for (const session_id of ['one', 'two']) {
    const prompt = `Add a column in ${session_id}. Never edit src/token.ts by hand.`;
    await box.hook('prompt-submit', { ...promptSubmit(folder), session_id, prompt });
  }
  const found = await call('dream');
  expect(found.data).toEqual(await printed('dream', 'list'));
  const idOf = (op: string): string =>
    found.data.proposals.find((it: { operation: { op: string } }) => it.operation.op === op).id;
  const [note, rule] = [idOf('create'), idOf('guard')];
  const judged = await call('note_judge', { note, verdict: 'confirm' });
  expect(judged.data).toEqual({ id: note, path: null, verdict: 'confirm' });
  await call('note_judge', { note: rule, verdict: 'reject' });
  expect((await call('notes')).data.notes).toMatchObject([{ source: 'dream', status: 'active' }]);
  expect((await call('dream')).data.proposals).toEqual([]);
});

test('a rule that refuses edits needs the agreement of a person, one that is told does not', async () => {
  const rule = { files: 'src/token.ts', rule: 'Keep the public names' };
  const silent = await shop();
  expect((await silent.call('guard_add', rule)).data).toMatchObject({
    ...rule,
    denies: false,
    by: 'claude-code',
  });
  const refused = await silent.call('guard_add', { ...rule, deny: true });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toContain("guard add src/token.ts 'Keep the public names' --deny");
  const asAgent = { env: { LANEHOLD_AGENT: 'helper' } };
  const argv = ['guard', 'add', 'src/token.ts', 'Keep', '--deny'];
  expect((await command(silent.box, silent.folder, argv, asAgent)).stderr).toContain(
    'no person was asked about exactly this rule',
  );

  for (const [answer, isError] of [
    ['decline', true],
    ['agree', false],
  ] as const) {
    const asked: string[] = [];
    const { box, folder, call } = await shop({
      person(text) {
        asked.push(text);
        return { action: 'accept', content: { answer } };
      },
    });
    expect((await call('guard_add', { ...rule, deny: true })).isError).toBe(isError);
    expect(asked).toEqual([expect.stringContaining('refuse edits of src/token.ts')]);
    const { stdout } = await box.hook(
      'before-tool',
      beforeEdit(folder, join(folder, 'src/token.ts')),
    );
    expect(stdout.includes('"deny"')).toBe(!isError);
  }
});

test('input that does not fit says what does', async () => {
  const { call, defects } = await shop();
  for (const [name, input, text] of [
    ['recall', {}, 'it is not said what to recall\nNext: give `query` or `id`'],
    ['recall', { query: 'a', id: 'b' }, 'it is not said what to recall'],
    ['recall', { id: 'lh-none' }, 'nothing is remembered as `lh-none`'],
    ['recall', { query: 'a', limit: 0 }, '`0` is no count'],
    ['timeline', { session: 'se-none' }, 'no one session is `se-none`'],
    ['note_add', { title: 'x' }, '`path` is missing'],
    ['note_add', { path: '../x', title: 'x' }, 'is no path of a note'],
    ['note_add', { path: 'project/x', title: 'x', files: ['none.ts'] }, 'there is no file none.ts'],
    ['note_judge', { note: 'lh-none', verdict: 'confirm' }, 'there is no note `lh-none`'],
    ['guard_add', { files: '../x', rule: 'x' }, 'names no files of this project'],
  ] as const) {
    const said = await call(name, input);
    expect(said, name).toMatchObject({ isError: true, data: undefined });
    expect(said.text, name).toContain(text);
  }
  expect(defects).toEqual([]);
});
