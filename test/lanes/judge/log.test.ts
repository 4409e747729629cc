import { expect, test } from 'vitest';
import { logExcerpt } from '../../../src/lanes/judge/log.ts';
import { sandbox } from '../../support/sandbox.ts';

test('a short log is shown whole', () => {
  const file = sandbox().write('log', 'one\ntwo\n');
  expect(logExcerpt(file)).toEqual({ head: 'one\ntwo\n', tail: '', omittedBytes: 0 });
});

test('of a long one, the first and the last lines', () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at} ä😀\n`);
  const text = lines.join('');
  const { head, tail, omittedBytes } = logExcerpt(sandbox().write('log', text));
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(tail)).toBe(true);
  expect(head).toMatch(/😀\n$/);
  expect(tail).toMatch(/^line /);
  const shown = Buffer.byteLength(head) + Buffer.byteLength(tail);
  expect(shown + omittedBytes).toBe(Buffer.byteLength(text));
});

test('without line ends, no character is split', () => {
  for (const shift of ['', 'a', 'ab', 'abc']) {
    const text = `${shift}${'😀'.repeat(5_000)}`;
    const { head, tail } = logExcerpt(sandbox().write('log', text));
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(tail)).toBe(true);
    expect(head.length).toBeGreaterThan(900);
    expect(tail.length).toBeGreaterThan(1_900);
  }
});

test('an empty log is no error', () => {
  expect(logExcerpt(sandbox().write('log', ''))).toEqual({ head: '', tail: '', omittedBytes: 0 });
});
