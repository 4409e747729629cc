import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../../src/base/files/json-file.ts';
import { sandbox } from '../../support/sandbox.ts';
import { NO_SMALL_DISK, smallDisk } from '../../support/small-disk.ts';

const Fact = z.object({ n: z.number() });
const skipped = NO_SMALL_DISK === undefined ? '' : ` (skipped: ${NO_SMALL_DISK})`;

test.each(['', '{', '{"n":', '{"n":1', 'null', '{"n":"1"}', '\0\0\0\0\0\0\0'])(
  'what a power loss leaves of a file is no fact: %j',
  (text) => {
    const file = sandbox().write('fact.json', text);
    expect(readJsonFile(file, Fact)).toBe('unreadable');
    writeJsonFile(file, { n: 2 });
    expect(readJsonFile(file, Fact)).toEqual({ n: 2 });
  },
);

test('takes the place of a folder, and leaves nothing beside it', () => {
  const { root } = sandbox();
  const file = join(root, 'facts', 'fact.json');
  mkdirSync(file, { recursive: true });
  writeJsonFile(file, { n: 1 });
  expect(readJsonFile(file, Fact)).toEqual({ n: 1 });
  expect(readdirSync(join(root, 'facts'))).toEqual(['fact.json']);
});

test.skipIf(NO_SMALL_DISK !== undefined)(
  `on a full disk what was there before stays, and no half of the new one${skipped}`,
  () => {
    const disk = smallDisk(2);
    const file = join(disk.root, 'fact.json');
    writeJsonFile(file, { n: 1 });
    writeFileSync(join(disk.root, 'small'), 'x');
    disk.fill();
    expect(() => writeJsonFile(file, { n: 2, text: 'x'.repeat(100_000) })).toThrow('ENOSPC');
    expect(readJsonFile(file, Fact)).toEqual({ n: 1 });
    expect(readdirSync(disk.root).sort()).toEqual(['ballast', 'fact.json', 'small']);
  },
);
