import { expect, test } from 'vitest';
import { logText } from '../../../src/lanes/judge/log.ts';
import { sandbox } from '../../support/sandbox.ts';

const endsOf = (text: string): readonly string[] =>
  logText(sandbox().write('log', text)).split('\n…\n');

test('a short log is shown whole', () => {
  expect(endsOf('one\ntwo\n')).toEqual(['one\ntwo\n']);
});

test('of a long one, the first and the last lines', () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at} ä😀\n`);
  const text = lines.join('');
  const [head = '', tail = ''] = endsOf(text);
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(tail)).toBe(true);
  expect(head).toMatch(/😀\n$/);
  expect(tail).toMatch(/^line /);
  expect(head.length + tail.length).toBeLessThan(6_000);
});

test('without line ends, no character is split', () => {
  for (const shift of ['', 'a', 'ab', 'abc']) {
    const text = `${shift}${'😀'.repeat(5_000)}`;
    const [head = '', tail = ''] = endsOf(text);
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(tail)).toBe(true);
    expect(head.length).toBeGreaterThan(900);
    expect(tail.length).toBeGreaterThan(1_900);
  }
});

test('an empty log is no error', () => {
  expect(endsOf('')).toEqual(['']);
});
