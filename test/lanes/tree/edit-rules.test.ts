import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isForeignFile, refusedEdit } from '../../../src/lanes/tree/edit-rules.ts';
import { sandbox } from '../../support/sandbox.ts';

const box = sandbox(afterAll);
const tree = join(box.root, 'trees/api');
beforeAll(() => {
  const repo = box.repo();
  box.write('repo/src/api/a.ts', '');
  box.commit(repo);
  box.git(repo, 'worktree', 'add', '--quiet', '-b', 'api', tree);
  box.git(repo, 'worktree', 'add', '--quiet', '-b', 'ui', join(box.root, 'trees/ui'));
  symlinkSync(join(repo, 'src'), join(tree, 'out'));
  symlinkSync(join(tree, 'src'), join(tree, 'in'));
  symlinkSync(join(repo, 'not-there-yet'), join(tree, 'dangling'));
  symlinkSync(tree, join(box.root, 'back'));
  mkdirSync(join(box.root, 'elsewhere'));
  box.repo('other');
});

const refused = (path: string, touches: readonly string[] = []) =>
  refusedEdit([join(box.root, path)], { worktree: tree, touches })?.what;

describe('an edit', () => {
  test.each([
    'trees/api/src/api/a.ts',
    'trees/api/src/../src/api/a.ts',
    'trees/api/new/folder/that/is/not/there.txt',
    'trees/api/in/api/a.ts',
    'trees/api/..odd/x',
    'trees/api/new\nline',
    'trees/api/.gitignore',
    'back/src/api/a.ts',
  ])('of %j is inside', (path) => expect(refused(path)).toBeUndefined());

  test.each([
    'repo/src/api/a.ts',
    'trees/ui/src/api/a.ts',
    'trees/api-beside/a.ts',
    'trees/api/../ui/a.ts',
    'trees/api/out/a.ts',
    'trees/api/out/new/a.ts',
    'trees/api/dangling',
    'trees/api/dangling/a.ts',
    'elsewhere/a.ts',
    'trees/api',
    'a.ts',
  ])('of %j is outside', (path) => expect(refused(path)).toContain('outside of its working tree'));

  test.each(['trees/api/.git', 'trees/api/.git/hooks/pre-push'])("of %j is git's own", (path) =>
    expect(refused(path)).toContain("git's own files"),
  );

  test('of an undeclared file names the declared ones', () => {
    const touches = ['src/api/**', 'docs/*.md'];
    expect(refused('trees/api/src/api/new/b.ts', touches)).toBeUndefined();
    expect(refused('trees/api/docs/a.md', touches)).toBeUndefined();
    expect(refused('trees/api/in/api/a.ts', touches)).toBeUndefined();
    expect(refused('trees/api/src/ui/b.ts', touches)).toBe(
      'write src/ui/b.ts: this lane touches src/api/**, docs/*.md only',
    );
    expect(refused('trees/api/docs/deep/a.md', touches)).toContain('only');
  });

  test('of several files is refused because of one', () => {
    const paths = ['trees/api/a.ts', 'repo/a.ts'].map((path) => join(box.root, path));
    expect(refusedEdit(paths, { worktree: tree, touches: [] })?.what).toContain('repo/a.ts');
  });
});

test.each([
  ['repo/src/a.ts', true],
  ['repo/.git/config', true],
  ['trees/ui/new/a.ts', true],
  ['trees/api/out/x', true],
  ['trees/api/.git', true],
  ['trees/api/src/a.ts', false],
  ['elsewhere/a.ts', false],
  ['other/a.ts', false],
  ['/dev/null', false],
])('a command that writes %s writes into another lane: %s', (path, expected) => {
  expect(isForeignFile(path.startsWith('/') ? path : join(box.root, path), tree)).toBe(expected);
});
