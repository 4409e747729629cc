import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { excerpt, excerptOf, logPiece } from '../../../src/lanes/look/attempt-log.ts';
import { sandbox } from '../../support/sandbox.ts';

const random = (at: number) =>
  Buffer.from(`body of a key, line ${at}: ${'x'.repeat(20)}`).toString('base64');
const BODY = Array.from({ length: 12 }, (_, at) => random(at));
const KEY = ['-----BEGIN RSA PRIVATE KEY-----', ...BODY, '-----END RSA PRIVATE KEY-----'];
const TOKEN = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
const JWT = `eyJhbGciOiJIUzI1NiJ9.${'aB3dE5gH7jK9'.repeat(3)}.${'Zy9xW7vU5tS3'.repeat(3)}`;
const SECRETS = [...BODY, ...[TOKEN, JWT].flatMap((it) => [it, it.slice(-30)])];

const logOf = (lines: readonly string[]): string => {
  const path = join(sandbox().root, 'stdout.log');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};
const shownIn = (text: string) => SECRETS.filter((it) => text.includes(it));

test('a log that is read in pieces shows no more of a secret than the whole', () => {
  const lines = ['first', JWT, 'second', ...KEY, TOKEN, 'third', `it is ${JWT}`, 'last'];
  const path = logOf(lines);
  const size = lines.join('\n').length + 1;
  for (const isWhole of [true, false]) {
    for (let most = 1; most <= size; most += most < 200 ? 7 : 97) {
      const wish = { most, isWhole, raw: true };
      const forward: string[] = [];
      for (let from = 0; from < size; ) {
        const piece = logPiece(path, { ...wish, from });
        forward.push(...piece.lines.map(({ text }) => text));
        expect(piece.to).toBeGreaterThan(from);
        from = piece.to;
      }
      const backward: string[] = [];
      for (let before = size; before > 0; ) {
        const piece = logPiece(path, { ...wish, before });
        backward.unshift(...piece.lines.map(({ text }) => text));
        expect(piece.from).toBeLessThan(before);
        before = piece.from;
      }
      for (const read of [forward, backward]) {
        expect(shownIn(read.join('\n'))).toEqual([]);
        expect(read.filter((it) => /^(?:first|second|third|last)$/.test(it))).toHaveLength(4);
      }
    }
  }
});

test('it may be read from any byte on, and up to any', () => {
  const path = logOf(['first', JWT, ...KEY, TOKEN, 'last']);
  for (let at = 0; at < 1_000; at += 3) {
    for (const wish of [{ from: at }, { before: at }]) {
      const { lines } = logPiece(path, { ...wish, isWhole: false, raw: true });
      expect(shownIn(lines.map(({ text }) => text).join('\n'))).toEqual([]);
    }
  }
});

test('the end of a log shows nothing of a key that has begun', () => {
  const empty = { attempt: null, stderr: '', validations: [] };
  for (let printed = 1; printed < KEY.length; printed += 1) {
    const path = logOf(['first', 'second', ...KEY.slice(0, printed)]);
    expect(excerpt(path, 1)).toEqual(['[redacted:private-key]']);
    expect(excerpt(path, 6)).toEqual(['first', 'second', '[redacted:private-key]']);
    const { stream, stderr } = excerptOf({ ...empty, stdout: path, stderr: path });
    expect(shownIn([...stream, ...stderr].join('\n'))).toEqual([]);
  }
  expect(excerpt(logOf([...KEY, 'done']), 1)).toEqual(['done']);
});

test('of a line that is longer than what is read for a board, nothing is shown from its middle', () => {
  expect(excerpt(logOf([`${'x'.repeat(100)} ${TOKEN}${'Z'.repeat(40_000)}`]), 1)[0]).toMatch(
    /^x{100} \[redacted:github\]$/,
  );
});
