import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyIncluded } from '../../src/checkout/include.ts';
import { ensureWorktree } from '../../src/lanes/tree/create.ts';
import { ODD_NAMES } from '../base/git/situations.ts';
import { laneRepository } from '../lanes/tree/lane-repository.ts';

async function repositoryWith(patterns: string | undefined, ignore: string) {
  const repository = laneRepository();
  const { box, repo } = repository;
  box.write('repo/.gitignore', ignore);
  const sha = box.commit(repo);
  if (patterns !== undefined) box.write('repo/.worktreeinclude', patterns);
  const wish = repository.wish('api', { sha });
  await ensureWorktree(wish);
  return {
    box,
    repo,
    tree: wish.path,
    include: async () => {
      const { copied, skipped } = await copyIncluded(repo, wish.path, box.env);
      return { copied, skipped };
    },
  };
}

test('copies ignored files that are listed, with their mode, and nothing else', async () => {
  const { box, repo, tree, include } = await repositoryWith(
    '.env\nlocal/*\n!local/b\n',
    '.env\nlocal/\n*.log\n',
  );
  box.write('repo/.env', 'SECRET=1');
  chmodSync(join(repo, '.env'), 0o600);
  chmodSync(box.write('repo/local/run', 'x'), 0o755);
  for (const name of ['local/b', 'x.log', 'apps/web/.env']) box.write(`repo/${name}`, name);
  expect((await include()).copied.toSorted()).toEqual(['.env', 'apps/web/.env', 'local/run']);
  expect(readFileSync(join(tree, '.env'), 'utf8')).toBe('SECRET=1');
  expect(statSync(join(tree, '.env')).mode & 0o777).toBe(0o600);
  expect(statSync(join(tree, 'local/run')).mode & 0o777).toBe(0o755);
  expect(readdirSync(join(tree, 'local'))).toEqual(['run']);
  expect(existsSync(join(tree, 'x.log'))).toBe(false);
  expect(box.git(tree, 'status', '--porcelain')).toBe('');
});

test('copies nothing without the file', async () => {
  const { include } = await repositoryWith(undefined, '.env\n');
  expect(await include()).toEqual({ copied: [], skipped: [] });
});

test('existing files stay; a second call copies nothing', async () => {
  const { box, repo, tree, include } = await repositoryWith(
    '.env\nother.env\n',
    '.env\nother.env\n',
  );
  box.write(`${repo}/.env`, 'of the main checkout');
  box.write(`${repo}/other.env`, 'x');
  box.write(`${tree}/.env`, 'of the lane');
  expect(await include()).toEqual({ copied: ['other.env'], skipped: [] });
  expect(readFileSync(join(tree, '.env'), 'utf8')).toBe('of the lane');
  expect(await include()).toEqual({ copied: [], skipped: [] });
});

test('files that the lane would commit are not copied', async () => {
  const { box, include } = await repositoryWith('config/*\n', '.env\n');
  box.write('repo/config/local.json', '{}');
  expect(await include()).toEqual({
    copied: [],
    skipped: [{ path: 'config/local.json', why: 'not-ignored' }],
  });
});

test('tracked files and other repositories are not copied', async () => {
  const { box, repo, include } = await repositoryWith('*\n', 'nested/\n');
  box.write(`${repo}/a.txt`, 'changed');
  box.git('.', 'init', '--quiet', `${repo}/nested`);
  box.write(`${repo}/nested/.env`, 'x');
  expect((await include()).copied).toEqual([]);
});

test('links are kept as links, and none leads out', async () => {
  const { box, repo, tree, include } = await repositoryWith('data/\n', 'data/\n');
  box.write(`${repo}/data/file`, 'x');
  symlinkSync('file', join(repo, 'data/inside'));
  symlinkSync('not-there', join(repo, 'data/dangling'));
  symlinkSync('/etc/passwd', join(repo, 'data/absolute'));
  symlinkSync('../../home', join(repo, 'data/up'));
  symlinkSync(join(repo, 'a.txt'), join(repo, 'data/main'));
  symlinkSync('../..', join(repo, 'data/hop'));
  symlinkSync('hop/home', join(repo, 'data/over'));
  const { copied, skipped } = await include();
  expect(copied.toSorted()).toEqual(['data/file', 'data/inside', 'data/main']);
  expect(skipped.map((it) => it.why)).toEqual(Array(5).fill('leads-out'));
  expect(readlinkSync(join(tree, 'data/inside'))).toBe('file');
  // What it means in the worktree: not the file of the main checkout.
  expect(readlinkSync(join(tree, 'data/main'))).toBe('../a.txt');
});

test('nothing is written through a link of the worktree', async () => {
  const { box, repo, tree, include } = await repositoryWith('data/\n', 'data/\ndata\n');
  box.write(`${repo}/data/deep/file`, 'x');
  const outside = join(box.root, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(tree, 'data'));
  expect(await include()).toEqual({
    copied: [],
    skipped: [{ path: 'data/deep/file', why: 'no-folder' }],
  });
  expect(readdirSync(outside)).toEqual([]);
  expect(lstatSync(join(tree, 'data')).isSymbolicLink()).toBe(true);
});

test('names of all kinds', async () => {
  const { box, repo, tree, include } = await repositoryWith('odd/\n', 'odd/\n');
  for (const name of ODD_NAMES) box.write(`${repo}/odd/${name}`, name);
  expect((await include()).copied).toHaveLength(ODD_NAMES.length);
  for (const name of ODD_NAMES) expect(readFileSync(join(tree, 'odd', name), 'utf8')).toBe(name);
});
