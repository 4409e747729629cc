/** What comes before what in the answer to a prompt, beside the words that it contains. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { main } from '../../src/fronts/main.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { sandbox } from '../support/sandbox.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z') / 1_000;
const daysAgo = (days: number) => NOW - days * 86_400;

/** Imports documents into a project; the ids that a prompt finds, the best first. */
async function ranking(documents: readonly object[], prompt: string): Promise<string[]> {
  const box = sandbox();
  const folder = box.repo('shop');
  const run = async (argv: readonly string[], rows: readonly object[]) => {
    const { host, said } = bufferedHost(argv, {
      env: box.env,
      cwd: () => folder,
      now: () => new Date(NOW * 1_000),
    });
    const stdin = Readable.from([rows.map((it) => JSON.stringify(it)).join('\n')]);
    await main({ ...host, streams: { ...host.streams, stdin } });
    expect(said.stderr).toBe('');
    return said.stdout;
  };
  await run(['recall', 'import', '--jsonl', '-'], documents);
  const answer = await run(['recall', 'query', '--json', '--lines'], [{ prompt, now: NOW }]);
  return JSON.parse(answer).ids;
}

const code = (path: string, text: string) => ({ id: path, kind: 'code', path, text });
const summary = (id: string, days: number, title: string, files: readonly string[] = []) => {
  return { id, kind: 'summary', session: id, title, text: '', files, time: daysAgo(days) };
};

test('of two files with the same words, the one beside other good ones comes first', async () => {
  const text = 'export const voucher = 1;\n';
  const files = ['a/one.ts', 'b/two.ts'].map((it) => code(it, text));
  const beside = code('b/three.ts', 'export const voucher = limits;\n');
  expect((await ranking(files, 'voucher limits'))[0]).toBe('a/one.ts');
  const found = await ranking([...files, beside], 'voucher limits');
  expect(found).toEqual(['b/three.ts', 'b/two.ts', 'a/one.ts']);
});

test('the newest session comes nearer to the best one, and not before it', async () => {
  const all = [
    summary('best', 48, 'Vouchers expire at midnight'),
    summary('old', 47, 'Vouchers that never expire'),
    ...Array.from({ length: 5 }, (_, at) => summary(`later-${at}`, 46, 'Something else')),
    summary('new', 45, 'Vouchers by mail, to be sent before midnight'),
  ];
  expect(await ranking(all, 'vouchers expire at midnight')).toEqual(['best', 'new', 'old']);
});

test('sessions that changed the same files support each other', async () => {
  const all = [
    summary('alone', 200, 'Vouchers expire', ['src/mail.ts']),
    summary('one', 201, 'Vouchers expire', ['src/basket.ts']),
    summary('other', 202, 'Vouchers in the basket expire at midnight', ['src/basket.ts']),
    ...Array.from({ length: 6 }, (_, at) => summary(`later-${at}`, 9 - at, 'Something else')),
  ];
  const found = await ranking(all, 'vouchers expire');
  expect(found.indexOf('one')).toBeLessThan(found.indexOf('alone'));
});

test('the message after one that was found is found, too, below it', async () => {
  const said = ['Where does the broker listen?', 'On port 5671.', 'Thank you.'];
  const messages = said.map((text, at) => {
    return { id: `m${at}`, kind: 'turn', session: 'monday', text, time: daysAgo(3) + at };
  });
  expect(await ranking(messages, 'on what address is the broker to listen')).toEqual(['m0', 'm1']);
});
