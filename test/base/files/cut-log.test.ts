import { closeSync, linkSync, openSync, readFileSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cutLog } from '../../../src/base/files/cut-log.ts';
import { sandbox } from '../../support/sandbox.ts';

const BOUNDS = { most: 100, head: 25, tail: 35 };
const LINES = Array.from({ length: 20 }, (_, n) => `line ${n + 10}\n`);

test('the beginning and the end stay, in whole lines, and whoever appends goes on', () => {
  const box = sandbox();
  const log = box.write('log', '');
  const writer = openSync(log, 'a');
  for (const line of LINES) writeSync(writer, line);
  const size = cutLog(log, BOUNDS);
  writeSync(writer, 'more\n');
  closeSync(writer);
  const text = readFileSync(log, 'utf8');
  expect(text).toBe(
    [...LINES.slice(0, 3), '[lanehold: 104 bytes left out]\n', ...LINES.slice(16), 'more\n'].join(
      '',
    ),
  );
  expect(size).toBe(text.length - 'more\n'.length);
  expect(cutLog(log, BOUNDS)).toBeUndefined();
});

test('without lines it is cut anywhere', () => {
  const box = sandbox();
  const log = box.write('log', 'x'.repeat(200));
  cutLog(log, BOUNDS);
  expect(readFileSync(log, 'utf8')).toBe(
    `${'x'.repeat(25)}[lanehold: 140 bytes left out]\n${'x'.repeat(35)}`,
  );
});

test('a file of somebody else in its place stays', () => {
  const box = sandbox();
  const other = box.write('other', LINES.join(''));
  symlinkSync(other, join(box.root, 'soft'));
  linkSync(other, join(box.root, 'hard'));
  for (const name of ['soft', 'hard', 'not-there', '.']) {
    expect(cutLog(join(box.root, name), BOUNDS)).toBeUndefined();
  }
  expect(readFileSync(other, 'utf8')).toBe(LINES.join(''));
});
