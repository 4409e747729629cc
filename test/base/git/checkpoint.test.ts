import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkpointTree,
  privateTree,
  type TreeCheckpoint,
} from '../../../src/base/git/checkpoint.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { makePipe, ODD_NAMES, SITUATIONS, started } from './situations.ts';

const denied = (path: string) => /(^|\/)\.env/.test(path);

const take = (box: Sandbox, repo: string, maxFileBytes?: number): Promise<TreeCheckpoint> =>
  checkpointTree(privateTree(repo, join(box.root, 'private/index'), box.env), {
    denied,
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
  });

const pathsIn = (box: Sandbox, repo: string, tree: string) =>
  box.git(repo, 'ls-tree', '-r', '-z', '--name-only', tree).split('\0').slice(0, -1);

/** What `git add --all` makes of a copy. */
function stagedInCopy(box: Sandbox, repo: string): string {
  const copy = `${box.root}/copy`;
  rmSync(copy, { recursive: true, force: true });
  execFileSync('cp', ['-a', repo, copy]);
  box.git(copy, 'add', '--all', '--sparse');
  return box.git(copy, 'write-tree');
}

test.each(Object.entries(SITUATIONS))('holds what git would add: %s', async (_, arrange) => {
  const box = sandbox();
  const repo = started(box);
  await take(box, repo);
  arrange(box, repo);
  const index = readFileSync(join(repo, '.git/index'));

  const again = await take(box, repo);

  expect(readFileSync(join(repo, '.git/index'))).toEqual(index);
  expect(existsSync(join(repo, '.git/index.lock'))).toBe(false);
  expect(again.tree).toBe(stagedInCopy(box, repo));
});

test.each(['--assume-unchanged', '--skip-worktree'])('a change under %s counts', async (flag) => {
  const box = sandbox();
  const repo = started(box);
  box.git(repo, 'update-index', flag, 'a.txt', 'b.txt');
  box.write('repo/a.txt', 'other\n');
  const { tree } = await take(box, repo);
  expect(box.git(repo, 'show', `${tree}:a.txt`)).toBe('other');
  expect(box.git(repo, 'ls-files', '-v', 'a.txt')).toMatch(/^[hS] /);
});

describe('what does not enter', () => {
  test('ignored files, unless the worker added them', async () => {
    const box = sandbox();
    const repo = started(box);
    box.write('repo/.gitignore', 'dist/\n*.log\n');
    for (const name of ['dist/x', 'a.log', 'b.log']) box.write(`repo/${name}`, 'x');
    box.git(repo, 'add', '--force', 'b.log');
    const paths = pathsIn(box, repo, (await take(box, repo)).tree);
    expect(paths).toContain('b.log');
    expect(paths).not.toContain('a.log');
    expect(paths).not.toContain('dist/x');
    box.git(repo, 'rm', '--quiet', '--cached', 'b.log');
    expect(pathsIn(box, repo, (await take(box, repo)).tree)).not.toContain('b.log');
  });

  test('files that are ignored since the last checkpoint', async () => {
    const box = sandbox();
    const repo = started(box);
    box.write('repo/a.log', 'x');
    expect(pathsIn(box, repo, (await take(box, repo)).tree)).toContain('a.log');
    box.write('repo/.gitignore', '*.log\n');
    expect(pathsIn(box, repo, (await take(box, repo)).tree)).not.toContain('a.log');
  });

  test('denied paths: staged or not, in any folder', async () => {
    const box = sandbox();
    const repo = started(box);
    const names = ['.env', 'deep/er/.env.local', '.env\nodd "name" 🙂'];
    for (const name of names) box.write(`repo/${name}`, 'SECRET=1');
    box.git(repo, 'add', '.env');
    box.write('repo/new.txt', 'new');
    const taken = await take(box, repo);
    const paths = pathsIn(box, repo, taken.tree);
    expect(taken.denied.toSorted()).toEqual(names.toSorted());
    expect(paths).toContain('new.txt');
    expect(paths.filter(denied)).toEqual([]);
    expect(taken.files).toBe(paths.length);
  });

  test.each<[string, (box: Sandbox, repo: string) => unknown]>([
    ['changed', (box) => box.write('repo/.env', 'SECRET=2\n')],
    [
      'changed and staged',
      (box, repo) => {
        box.write('repo/.env', 'SECRET=2\n');
        box.git(repo, 'add', '.env');
      },
    ],
    ['deleted', (_, repo) => unlinkSync(join(repo, '.env'))],
    ['taken out of the index', (box, repo) => box.git(repo, 'rm', '--quiet', '--cached', '.env')],
    [
      'committed anew by the worker',
      (box, repo) => {
        box.write('repo/.env', 'SECRET=2\n');
        box.commit(repo);
      },
    ],
  ])('a denied file that the base has, %s: keeps that version', async (name, arrange) => {
    const box = sandbox();
    const repo = started(box);
    box.write('repo/.env', 'SECRET=1\n');
    const base = box.commit(repo);
    const tree = privateTree(repo, join(box.root, 'private/index'), box.env);
    expect((await checkpointTree(tree, { denied, base })).denied).toEqual([]);
    arrange(box, repo);
    const taken = await checkpointTree(tree, { denied, base });
    expect(box.git(repo, 'show', `${taken.tree}:.env`)).toBe('SECRET=1');
    const differs = !existsSync(join(repo, '.env')) || box.git(repo, 'diff', base) !== '';
    expect(taken.denied).toEqual(differs && !name.startsWith('taken') ? ['.env'] : []);
  });

  test('large untracked files; one that the base has grows all the same', async () => {
    const box = sandbox();
    const repo = started(box);
    box.write('repo/large.bin', 'x'.repeat(101));
    box.write('repo/small.bin', 'x'.repeat(100));
    box.write('repo/a.txt', 'x'.repeat(101));
    const taken = await take(box, repo, 100);
    expect(taken.leftOut).toEqual([{ path: 'large.bin', why: 'too-large' }]);
    const paths = pathsIn(box, repo, taken.tree);
    expect(paths).toContain('small.bin');
    expect(paths).not.toContain('large.bin');
    expect(box.git(repo, 'show', `${taken.tree}:a.txt`)).toHaveLength(101);
  });

  test('a nested repository', async () => {
    const box = sandbox();
    const repo = started(box);
    const nested = box.repo('repo/nested');
    box.write('repo/nested/x.txt', 'x');
    box.commit(nested);
    const taken = await take(box, repo);
    expect(taken.leftOut).toEqual([{ path: 'nested/', why: 'repository' }]);
    expect(taken.tree).toBe(box.git(repo, 'rev-parse', 'HEAD^{tree}'));
  });

  test('a pipe in the place of a file: the last version stays', async () => {
    const box = sandbox();
    const repo = started(box);
    unlinkSync(join(repo, 'a.txt'));
    makePipe(join(repo, 'a.txt'));
    const taken = await take(box, repo);
    expect(taken.leftOut).toEqual([{ path: 'a.txt', why: 'unreadable' }]);
    expect(box.git(repo, 'show', `${taken.tree}:a.txt`)).toBe('a');
  });
});

test('a name that is not UTF-8 enters with its bytes', async () => {
  const box = sandbox();
  const repo = started(box);
  writeFileSync(Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0x61, 0xff])]), 'one');
  const { tree } = await take(box, repo);
  expect(tree).toBe(stagedInCopy(box, repo));
});

test('no hook of the repository runs, and nothing of it redirects', async () => {
  const box = sandbox();
  const repo = started(box);
  const marker = join(box.root, 'marker');
  const hook = box.write('repo/.git/hooks/post-index-change', `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(hook, 0o755);
  box.git(repo, 'config', 'core.fsmonitor', `touch ${marker}`);
  box.write('repo/new.txt', 'new');
  await take(box, repo);
  expect(existsSync(marker)).toBe(false);
});

test('settings do not lead to another folder', async () => {
  const box = sandbox();
  const repo = started(box);
  box.write('other/stray.txt', 'x');
  box.git(repo, 'config', 'core.worktree', join(box.root, 'other'));
  const { tree } = await take(box, repo);
  expect(tree).toBe(box.git(repo, 'rev-parse', 'HEAD^{tree}'));
});

describe('goes on from', () => {
  const broken: [string, (box: Sandbox, repo: string) => unknown][] = [
    ['a private index that is damaged', (box) => box.write('private/index', 'garbage')],
    ['one that a killed git has locked', (box) => box.write('private/index.lock', '')],
    ['an index of the worker that is damaged', (box) => box.write('repo/.git/index', 'garbage')],
    ['an index of the worker that is gone', (_, repo) => unlinkSync(join(repo, '.git/index'))],
    ['an index of the worker that is locked', (box) => box.write('repo/.git/index.lock', '')],
    [
      'objects that are gone',
      (box, repo) => {
        box.git(repo, 'reflog', 'expire', '--expire=now', '--all');
        box.git(repo, 'gc', '--quiet', '--prune=now');
      },
    ],
  ];

  test.each(broken)('%s', async (_, harm) => {
    const box = sandbox();
    const repo = started(box);
    for (const name of ODD_NAMES) box.write(`repo/odd/${name}`, name);
    const { tree } = await take(box, repo);
    harm(box, repo);
    expect((await take(box, repo)).tree).toBe(tree);
    box.git(repo, 'cat-file', '-e', `${tree}:odd/two words`);
  });
});

test('a repository before its first commit', async () => {
  const box = sandbox();
  const repo = box.repo('repo', '--object-format=sha256');
  box.write('repo/a.txt', 'a');
  box.write('repo/.env', 'SECRET=1');
  box.git(repo, 'add', '--all');
  const taken = await take(box, repo);
  expect(pathsIn(box, repo, taken.tree)).toEqual(['a.txt']);
});
