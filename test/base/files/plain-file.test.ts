import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../../src/base/files/json-file.ts';
import { readPlainFile } from '../../../src/base/files/plain-file.ts';
import { sandbox } from '../../support/sandbox.ts';

test('reads a file, and what a link leads to', () => {
  const box = sandbox();
  const file = join(box.root, 'facts');
  box.write(file, 'one\n');
  symlinkSync(file, join(box.root, 'link'));
  expect(readPlainFile(join(box.root, 'link'))).toBe('one\n');
});

test('whatever else lies there is no file, and nobody waits for it', () => {
  const { root } = sandbox();
  const at = (name: string) => join(root, name);
  mkdirSync(at('folder'));
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', at('pipe')]);
  symlinkSync(at('loop'), at('loop'));
  for (const name of ['folder', 'pipe', 'loop', 'nothing', 'nothing/below', 'pipe/below']) {
    expect(readPlainFile(at(name))).toBeUndefined();
  }
  expect(readJsonFile(at('folder'), z.string())).toBe('unreadable');
  expect(readJsonFile(at('pipe'), z.string())).toBe('unreadable');
  expect(readJsonFile(at('nothing'), z.string())).toBe('none');
});

test('what is written as JSON is read as it was', () => {
  const file = join(sandbox().root, 'facts.json');
  writeJsonFile(file, ['a', 1]);
  writeJsonFile(file, ['b', 2]);
  expect(readJsonFile(file, z.array(z.unknown()))).toEqual(['b', 2]);
});
