import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDeniedPath } from '../../../src/base/files/denied-paths.ts';
import { checkpointTree, privateTree } from '../../../src/base/git/checkpoint.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { commitTree, moveRef, refAt } from '../../../src/base/git/plumbing.ts';
import { ensureWorktree } from '../../../src/lanes/tree/create.ts';
import { restoreInto } from '../../../src/lanes/tree/lane-tree.ts';
import { removeWorktree } from '../../../src/lanes/tree/remove.ts';
import { ODD_NAMES } from '../../base/git/situations.ts';
import { type LaneRepository, laneRepository } from './lane-repository.ts';

const REF = 'refs/lanehold/run-id/api/ckpt';

/** A worktree of a lane, and the operations of a supervisor on it. */
async function lane(repository: LaneRepository = laneRepository()) {
  const { box, repo, start } = repository;
  const wish = repository.wish();
  const { gitDir } = await ensureWorktree(wish);
  const git = gitIn(repo, box.env);
  const indexFile = join(box.laneholdHome, 'runs/lanes/x/index');
  return {
    ...repository,
    git,
    wish,
    gitDir,
    tree: wish.path,
    async checkpoint() {
      const taken = await checkpointTree(privateTree(wish.path, indexFile, box.env, gitDir), {
        denied: isDeniedPath,
        base: start,
      });
      const sha = commitTree(git, {
        tree: taken.tree,
        parents: [box.git(wish.path, 'rev-parse', 'HEAD')],
        message: 'checkpoint',
        author: { name: 'lanehold', email: 'lanehold@lanehold.invalid' },
        at: new Date('2026-11-22T10:00:00Z'),
      });
      expect(await moveRef(git, REF, sha, (await refAt(git, REF)) ?? '', 'ckpt')).toBe('moved');
      return { ...taken, sha };
    },
    recreate: () => ensureWorktree({ ...wish, branchOwner: 'lane' }),
    remove: () => removeWorktree({ ...wish, keptBy: [REF, 'refs/heads/lanehold/run/api'] }),
  };
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

describe('C3: nothing is ever lost', () => {
  test('index, HEAD and stash stay the same to the byte, and all files can be restored', async () => {
    const it = await lane();
    const { box, repo, tree, gitDir } = it;
    box.write(`${tree}/a.txt`, 'stashed\n');
    box.git(tree, 'stash');
    box.write(`${tree}/committed.txt`, 'committed\n');
    const head = box.commit(tree, 'by the worker');
    box.write(`${tree}/staged.txt`, 'staged\n');
    box.git(tree, 'add', 'staged.txt');
    box.write(`${tree}/a.txt`, 'unstaged\n');
    unlinkSync(join(tree, 'src/b.txt'));
    for (const name of ODD_NAMES) box.write(`${tree}/odd/${name}`, name);
    chmodSync(box.write(`${tree}/run.sh`, '#!/bin/sh\n'), 0o755);
    symlinkSync('/nowhere/at/all', join(tree, 'link'));
    box.write(`${tree}/ignored/x`, 'ignored');
    box.write(`${tree}/.env`, 'SECRET=1');
    box.write(`${tree}/deep/server.pem`, 'SECRET');
    const state = () => [
      readFileSync(join(gitDir, 'index')),
      readFileSync(join(gitDir, 'HEAD')),
      box.git(repo, 'stash', 'list', '--format=%H'),
      box.git(tree, 'for-each-ref', 'refs/heads'),
      box.git(tree, 'status', '--porcelain'),
    ];
    const before = state();

    const taken = await it.checkpoint();

    expect(state()).toEqual(before);
    expect(taken.denied).toEqual(['deep/server.pem']);
    const paths = box.git(repo, 'ls-tree', '-r', '-z', '--name-only', REF).split('\0');
    expect(paths.filter((path) => /\.env|\.pem|ignored\//.test(path))).toEqual([]);

    rmSync(tree, { recursive: true });
    box.git(repo, 'reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
    box.git(repo, 'gc', '--quiet', '--prune=now');

    expect(await it.recreate()).toMatchObject({ created: true });
    expect(box.git(tree, 'rev-parse', 'HEAD')).toBe(head);
    await restoreInto(tree, taken.sha, box.env);

    expect(read(tree, 'committed.txt')).toBe('committed\n');
    expect(read(tree, 'staged.txt')).toBe('staged\n');
    expect(read(tree, 'a.txt')).toBe('unstaged\n');
    expect(existsSync(join(tree, 'src/b.txt'))).toBe(false);
    for (const name of ODD_NAMES) expect(read(tree, `odd/${name}`)).toBe(name);
    expect(statSync(join(tree, 'run.sh')).mode & 0o100).toBe(0o100);
    expect(readlinkSync(join(tree, 'link'))).toBe('/nowhere/at/all');
    expect(box.git(tree, 'rev-parse', 'HEAD')).toBe(head);
    expect(box.git(tree, 'diff', '--cached', '--name-only')).toBe('');
    expect((await it.checkpoint()).tree).toBe(taken.tree);
  });

  test('a commit that only the checkpoint contains outlives the branch', async () => {
    const it = await lane();
    const { box, repo, tree } = it;
    box.git(tree, 'checkout', '--quiet', '--detach');
    box.write(`${tree}/b.txt`, 'b');
    const head = box.commit(tree);
    await it.checkpoint();
    rmSync(tree, { recursive: true });
    box.git(repo, 'gc', '--quiet', '--prune=now');
    await it.recreate();
    expect(box.git(repo, 'cat-file', '-t', head)).toBe('commit');
  });
});

describe('restoreInto', () => {
  test('keeps ignored files, and can be repeated after an interruption', async () => {
    const it = await lane();
    const { box, tree } = it;
    box.write(`${tree}/a.txt`, 'changed\n');
    box.write(`${tree}/new/file.txt`, 'new\n');
    unlinkSync(join(tree, 'src/b.txt'));
    const { sha } = await it.checkpoint();
    rmSync(tree, { recursive: true });
    await it.recreate();
    box.write(`${tree}/ignored/x`, 'kept');
    box.write(`${tree}/.env`, 'SECRET=1');
    box.write(`${tree}/a.txt`, 'changed\n');
    await restoreInto(tree, sha, box.env);
    await restoreInto(tree, sha, box.env);
    expect(read(tree, 'new/file.txt')).toBe('new\n');
    expect(read(tree, 'ignored/x')).toBe('kept');
    expect(read(tree, '.env')).toBe('SECRET=1');
    expect(box.git(tree, 'status', '--porcelain')).toBe(' M a.txt\n D src/b.txt\n?? new/');
  });

  test.each<[string, string]>([
    ['a change', 'a.txt'],
    ['a new file', 'mine.txt'],
    ['a file that is ignored now', 'out.log'],
  ])('%s that is nowhere else is not overwritten', async (_, name) => {
    const it = await lane();
    const { box, tree } = it;
    box.write(`${tree}/.gitignore`, '');
    box.write(`${tree}/out.log`, 'of the checkpoint');
    const { sha } = await it.checkpoint();
    rmSync(tree, { recursive: true });
    await it.recreate();
    box.write(`${tree}/${name}`, 'mine');
    const failure = restoreInto(tree, sha, box.env);
    await expect(failure).rejects.toThrow(name);
    await expect(failure).rejects.toMatchObject({ hint: expect.any(String) });
    expect(read(tree, name)).toBe('mine');
    expect(existsSync(join(tree, 'out.log'))).toBe(name === 'out.log');
  });

  test('filters of the repository run as in a checkout', async () => {
    const repository = laneRepository();
    repository.box.git(repository.repo, 'config', 'filter.shout.clean', 'tr a-z A-Z');
    repository.box.git(repository.repo, 'config', 'filter.shout.smudge', 'tr A-Z a-z');
    const it = await lane(repository);
    it.box.write(`${it.tree}/.gitattributes`, '*.loud filter=shout\n');
    it.box.write(`${it.tree}/x.loud`, 'text\n');
    const { sha } = await it.checkpoint();
    expect(it.box.git(it.repo, 'show', `${sha}:x.loud`)).toBe('TEXT');
    rmSync(it.tree, { recursive: true });
    await it.recreate();
    await restoreInto(it.tree, sha, it.box.env);
    expect(read(it.tree, 'x.loud')).toBe('text\n');
  });
});

describe('removeWorktree', () => {
  test('removes a clean one and its empty parent folders; the branch stays', async () => {
    const it = await lane();
    it.box.write(`${it.tree}/ignored/x`, 'made');
    expect(await it.remove()).toBeUndefined();
    expect(existsSync(join(it.tree, '../..'))).toBe(false);
    expect(existsSync(it.root)).toBe(true);
    expect(it.box.git(it.repo, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await refAt(it.git, 'refs/heads/lanehold/run/api')).toBe(it.start);
  });

  test('removes one whose changes are in the checkpoint', async () => {
    const it = await lane();
    it.box.write(`${it.tree}/new.txt`, 'new');
    await it.checkpoint();
    expect(await it.remove()).toBeUndefined();
  });

  test('unregisters one whose folder is gone', async () => {
    const it = await lane();
    rmSync(it.tree, { recursive: true });
    expect(await it.remove()).toBeUndefined();
    expect(it.box.git(it.repo, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await it.remove()).toBeUndefined();
  });

  test.each<[string, (it: Awaited<ReturnType<typeof lane>>) => unknown, RegExp]>([
    ['a change', (it) => it.box.write(`${it.tree}/a.txt`, 'x'), /no ref keeps/],
    ['a new file', (it) => it.box.write(`${it.tree}/new`, 'x'), /no ref keeps/],
    ['a secret', (it) => it.box.write(`${it.tree}/x.pem`, 'x'), /x\.pem/],
    [
      'a repository',
      (it) => {
        it.box.git('.', 'init', '--quiet', `${it.tree}/nested`);
        it.box.write(`${it.tree}/nested/x`, 'x');
        it.box.commit(`${it.tree}/nested`);
      },
      /nested/,
    ],
    [
      'a submodule',
      (it) => {
        it.box.write('library/x', 'x');
        it.box.repo('library');
        it.box.commit('library');
        it.box.git(it.tree, 'submodule', '--quiet', 'add', join(it.box.root, 'library'), 'vendor');
        it.box.commit(it.tree);
      },
      /submodules/,
    ],
    [
      'a commit on no branch',
      (it) => {
        it.box.git(it.tree, 'checkout', '--quiet', '--detach');
        it.box.commit(it.tree);
      },
      /no branch has/,
    ],
    [
      'a lock of another tool',
      (it) => {
        it.box.git(it.repo, 'worktree', 'unlock', it.tree);
        it.box.git(it.repo, 'worktree', 'lock', '--reason', 'mine', it.tree);
      },
      /locked: mine/,
    ],
    [
      'a repository in its place',
      (it) => {
        unlinkSync(join(it.tree, '.git'));
        it.box.git(it.tree, 'init', '--quiet');
      },
      /repository of its own/,
    ],
    [
      'nothing that git knows of',
      (it) => {
        it.box.git(it.repo, 'worktree', 'remove', '--force', '--force', it.tree);
        it.box.write(`${it.tree}/x`, 'x');
      },
      /does not know it/,
    ],
  ])('keeps one with %s', async (_, arrange, why) => {
    const it = await lane();
    arrange(it);
    const listing = () => execFileSync('find', [it.tree], { encoding: 'utf8' });
    const before = listing();
    expect(await it.remove()).toMatch(why);
    expect(listing()).toBe(before);
  });

  test('ignores a secret that was copied from the main checkout', async () => {
    const it = await lane();
    for (const folder of [it.repo, it.tree]) it.box.write(`${folder}/x.pem`, 'x');
    expect(await it.remove()).toBeUndefined();
    expect(read(it.repo, 'x.pem')).toBe('x');
  });
});

test('keeps a parent folder that has other files', async () => {
  const it = await lane();
  mkdirSync(join(it.tree, '../other'));
  expect(await it.remove()).toBeUndefined();
  expect(existsSync(join(it.tree, '../other'))).toBe(true);
});
