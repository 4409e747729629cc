import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modeOf, replaceFile, replaceUserFile } from '../../../src/base/files/replace-file.ts';
import { sandbox } from '../../support/sandbox.ts';

test('a file is made with the permissions that are asked for, whatever the umask', () => {
  const file = join(sandbox().root, 'program');
  replaceFile(file, 'one', { mode: 0o777 });
  expect(modeOf(file)).toBe(0o777);
  replaceFile(file, new Uint8Array([1, 2]), { mode: 0o600 });
  expect([modeOf(file), [...readFileSync(file)]]).toEqual([0o600, [1, 2]]);
});

test("a user's file keeps its permissions unless others are asked for", () => {
  const file = sandbox().write('settings.json', '{}');
  chmodSync(file, 0o640);
  replaceUserFile(file, '{"a":1}', { hint: 'none' });
  expect([modeOf(file), readFileSync(file, 'utf8')]).toEqual([0o640, '{"a":1}']);
  replaceUserFile(file, '{}', { hint: 'none', mode: 0o600 });
  expect([modeOf(file), readFileSync(file, 'utf8')]).toEqual([0o600, '{}']);
});

test('what cannot be replaced stays, and nothing is left beside it', () => {
  const { root } = sandbox();
  const file = join(root, 'taken');
  mkdirSync(file);
  writeFileSync(join(file, 'content'), 'one');
  const before = readdirSync(root);
  expect(() => replaceUserFile(file, 'two', { hint: 'move the folder away' })).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`cannot write ${file}: `),
      hint: 'move the folder away',
    }),
  );
  expect(readdirSync(root)).toEqual(before);
  expect(statSync(file).isDirectory()).toBe(true);
});
