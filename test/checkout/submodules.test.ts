/** Submodules are filled from what is on this machine, and what is missing is told. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../../src/base/git/git-in.ts';
import { addSubmodules, hasOwnWork, missingSubmodules } from '../../src/checkout/submodules.ts';
import { sandbox } from '../support/sandbox.ts';

test('from the checkout, or from the kept git directory; else its path is named, and it stays empty', async () => {
  const box = sandbox();
  const library = box.repo('library');
  box.write('library/it.js', 'one\n');
  box.commit(library);
  const repo = box.repo();
  const allowed = ['-c', 'protocol.file.allow=always'];
  box.git(repo, ...allowed, 'submodule', '--quiet', 'add', library, 'vendor/library');
  const oid = box.commit(repo);
  box.write('library/it.js', 'two\n');
  const newer = box.commit(library);
  box.git(join(repo, 'vendor/library'), ...allowed, 'fetch', '--quiet', 'origin');
  box.git(join(repo, 'vendor/library'), 'checkout', '--quiet', newer);
  const next = box.commit(repo);

  const from = [repo, join(repo, '.git')];
  const git = gitIn(repo, box.env);
  const treeOf = (name: string, commit: string) => {
    const root = join(box.root, name);
    box.git(repo, 'worktree', 'add', '--quiet', '--detach', root, commit);
    return { root, git: gitIn(root, box.env), file: join(root, 'vendor/library/it.js') };
  };
  const first = treeOf('first', oid);
  expect(await addSubmodules(first.git, { oid, from, root: first.root })).toEqual([]);
  expect(readFileSync(first.file, 'utf8')).toBe('one\n');
  expect(box.git(first.root, 'status', '--porcelain')).toBe('');
  // Moved on with the tree, and nothing of its own in it.
  box.git(first.root, 'checkout', '--quiet', next);
  expect(await addSubmodules(first.git, { oid: next, from, root: first.root })).toEqual([]);
  expect(readFileSync(first.file, 'utf8')).toBe('two\n');
  expect(box.git(first.root, 'status', '--porcelain')).toBe('');
  expect(await hasOwnWork(first.git, first.root)).toBe(false);
  box.write(first.file, 'mine\n');
  expect(await hasOwnWork(first.git, first.root)).toBe(true);
  box.commit(join(first.root, 'vendor/library'));
  expect(await hasOwnWork(first.git, first.root)).toBe(true);

  box.git(repo, 'submodule', '--quiet', 'deinit', '--force', 'vendor/library');
  const kept = treeOf('kept', next);
  expect(await addSubmodules(kept.git, { oid: next, from, root: kept.root })).toEqual([]);
  expect(readFileSync(kept.file, 'utf8')).toBe('two\n');
  expect(await missingSubmodules(git, { oid: next, from })).toEqual([]);

  rmSync(join(repo, '.git/modules'), { recursive: true });
  const none = treeOf('none', next);
  expect(await missingSubmodules(git, { oid: next, from })).toEqual(['vendor/library']);
  expect(await addSubmodules(none.git, { oid: next, from, root: none.root })).toEqual([
    'vendor/library',
  ]);
  expect(existsSync(none.file)).toBe(false);
  expect(box.git(none.root, 'status', '--porcelain')).toBe('');
});
