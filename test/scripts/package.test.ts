/** What npm installs beside the package, and what is built into it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test('only native code is installed beside it', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['better-sqlite3']);
  expect(manifest).not.toHaveProperty('optionalDependencies');
});

test('it has the licence of each package that is built in', () => {
  const licences = readFileSync(join(ROOT, 'dist/third-party-licences.txt'), 'utf8');
  const builtIn = Object.keys(manifest.devDependencies).filter((name) =>
    licences.includes(`\n${name} `),
  );
  expect(builtIn).toEqual(expect.arrayContaining(['commander', 'execa', 'unbash', 'zod']));
  for (const part of licences.split(`${'-'.repeat(80)}\n`).slice(1)) {
    expect(part).toMatch(/^\S+ \d+\.\d+\.\d+\S* \(.+\)\n\n[\s\S]{200,}/);
  }
});
