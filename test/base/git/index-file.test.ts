/** The index of git is read as git itself lists it. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { indexFileEntries } from '../../../src/base/git/index-file.ts';
import { sandbox } from '../../support/sandbox.ts';

/** Of each length that an entry can be padded to. */
const NAMES = ['a', 'ab', 'abc/d', 'ä/ö', 'with space', '1234567', '12345678', 'x/'.repeat(2_000)];

test.each([
  ['sha1', 20],
  ['sha256', 32],
] as const)('with %s', (format, oidBytes) => {
  const box = sandbox();
  const git = (...args: string[]) => box.git(box.root, ...args);
  git('init', '--quiet', `--object-format=${format}`, 'repo');
  const repo = join(box.root, 'repo');
  for (const name of NAMES) box.write(join('repo', `${name}z`), name);
  symlinkSync('az', join(repo, 'link'));
  git('-C', repo, 'add', '--all');
  box.write('repo/later', '');
  git('-C', repo, 'add', '--intent-to-add', 'later');
  const listed = git('-C', repo, 'ls-files', '--stage', '-z').split('\0').filter(Boolean);
  const read = () => indexFileEntries(readFileSync(join(repo, '.git/index')), oidBytes);
  const lines = read()?.map(({ mode, oid, path }) => `${mode} ${oid} 0\t${path}`);
  expect(lines).toEqual(listed);
  git('-C', repo, 'update-index', '--index-version', '4');
  expect(read()).toBeUndefined();
});
