import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { projectPlace } from '../../../src/base/git/project.ts';
import { ensureWorktree } from '../../../src/lanes/tree/create.ts';
import { linkedGitDir, worktreePlace } from '../../../src/lanes/tree/place.ts';
import { type LaneRepository, laneRepository } from './lane-repository.ts';

const PARALLEL_MS = 60_000;

describe('a worktree', () => {
  test('is made on its own branch, locked, and without upstream', async () => {
    const { box, repo, start, wish } = laneRepository();
    box.git(repo, 'config', 'branch.autoSetupMerge', 'always');
    const asked = wish();
    expect(await ensureWorktree(asked)).toMatchObject({ created: true });
    expect(box.git(asked.path, 'rev-parse', 'HEAD')).toBe(start);
    expect(box.git(asked.path, 'status', '--porcelain', '--branch')).toBe('## lanehold/run/api');
    expect(readFileSync(join(asked.path, 'src/b.txt'), 'utf8')).toBe('b\n');
    expect(box.git(repo, 'worktree', 'list', '--porcelain')).toContain(
      'locked lanehold:attempt-of-api',
    );
    expect(box.git(repo, 'config', '--list')).not.toContain('branch.lanehold/run/api');
    expect(box.git(repo, 'status', '--porcelain', '--branch')).toBe('## main');
  });

  test('is whole, also where the main checkout is sparse', async () => {
    const { box, repo, wish } = laneRepository();
    box.git(repo, 'sparse-checkout', 'set', 'other');
    const asked = wish();
    await ensureWorktree(asked);
    expect(existsSync(join(asked.path, 'src/b.txt'))).toBe(true);
    expect(box.git(asked.path, 'status', '--porcelain')).toBe('');
  });

  test('is reused as it was left', async () => {
    const { box, wish } = laneRepository();
    const asked = wish();
    await ensureWorktree(asked);
    box.write(`${asked.path}/new.txt`, 'new');
    const head = box.commit(asked.path);
    box.write(`${asked.path}/a.txt`, 'other');
    expect(await ensureWorktree(asked)).toMatchObject({ created: false });
    expect(box.git(asked.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(readFileSync(join(asked.path, 'a.txt'), 'utf8')).toBe('other');
    box.git(asked.path, 'checkout', '--quiet', '--detach');
    expect(await ensureWorktree(asked)).toMatchObject({ created: false });
    expect(box.git(asked.path, 'rev-parse', 'HEAD')).toBe(head);
  });

  test('is made again if its folder is gone, on the present branch', async () => {
    const { box, wish } = laneRepository();
    const asked = wish();
    await ensureWorktree(asked);
    box.write(`${asked.path}/new.txt`, 'new');
    const head = box.commit(asked.path);
    rmSync(asked.path, { recursive: true });
    const again = await ensureWorktree({ ...asked, attempt: 'second', branchOwner: 'lane' });
    expect(again).toMatchObject({ created: true });
    expect(box.git(asked.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(existsSync(join(asked.path, 'new.txt'))).toBe(true);
  });

  test('is still the lane’s if the worker switched branches', async () => {
    const { box, wish } = laneRepository();
    const asked = wish();
    await ensureWorktree(asked);
    box.git(asked.path, 'checkout', '--quiet', '-b', 'mine');
    await expect(ensureWorktree(asked)).rejects.toThrow(/it is on refs\/heads\/mine/);
    const again = await ensureWorktree({ ...asked, branchOwner: 'lane' });
    expect(again).toMatchObject({ created: false });
  });

  test('may be empty for a commit without files', async () => {
    const { box, repo, wish } = laneRepository();
    box.git(repo, 'rm', '--quiet', '-r', '.');
    const sha = box.commit(repo);
    expect(await ensureWorktree(wish('api', { sha }))).toMatchObject({ created: true });
  });

  test(
    'six at once in one process',
    async () => {
      const { box, repo, start, wish } = laneRepository();
      const lanes = ['a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.all(lanes.map((lane) => ensureWorktree(wish(lane))));
      const heads = lanes.map((lane) => box.git(wish(lane).path, 'rev-parse', 'HEAD'));
      expect(heads).toEqual(lanes.map(() => start));
      expect(box.git(repo, 'worktree', 'list').split('\n')).toHaveLength(7);
    },
    PARALLEL_MS,
  );

  test('no hook of the repository runs', async () => {
    const { box, repo, wish } = laneRepository();
    const marker = join(box.root, 'marker');
    for (const name of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      chmodSync(
        box.write(`repo/.git/hooks/${name}`, `#!/bin/sh\ntouch ${marker}\nexit 1\n`),
        0o755,
      );
    }
    await ensureWorktree(wish());
    expect(existsSync(marker)).toBe(false);
    expect(repo).toBeTruthy();
  });
});

describe('existing files and branches', () => {
  const refusals: [string, (repository: LaneRepository) => unknown, RegExp][] = [
    [
      'a branch of that name',
      ({ box, repo }) => box.git(repo, 'branch', 'lanehold/run/api'),
      /there is a branch lanehold\/run\/api that the lane has not made/,
    ],
    [
      'a branch of that name, checked out',
      ({ box, repo }) => box.git(repo, 'checkout', '--quiet', '-b', 'lanehold/run/api'),
      /is checked out in/,
    ],
    [
      'a folder with something in it',
      ({ box, wish }) => box.write(`${wish().path}/x`, 'x'),
      /something is in/,
    ],
    ['a file', ({ box, wish }) => box.write(wish().path, 'x'), /no plain folder/],
    [
      'a link to a folder',
      ({ box, wish }) => {
        mkdirSync(dirname(wish().path), { recursive: true });
        mkdirSync(join(box.root, 'elsewhere'));
        symlinkSync(join(box.root, 'elsewhere'), wish().path);
      },
      /no plain folder/,
    ],
    [
      'a link on the way',
      ({ box, wish }) => {
        mkdirSync(dirname(dirname(wish().path)), { recursive: true });
        mkdirSync(join(box.root, 'elsewhere'));
        symlinkSync(join(box.root, 'elsewhere'), dirname(wish().path));
      },
      /no plain folder/,
    ],
    [
      'another repository',
      ({ box, wish }) => {
        box.git('.', 'init', '--quiet', wish().path);
      },
      /something is in/,
    ],
    [
      'a worktree of another repository',
      ({ box, wish }) => {
        const other = box.repo('other');
        box.commit(other);
        box.git(other, 'worktree', 'add', '--quiet', wish().path);
      },
      /something is in/,
    ],
    [
      'a worktree with a lock of another tool',
      ({ box, repo, wish }) => {
        box.git(repo, 'worktree', 'add', '--quiet', '--detach', wish().path);
        box.git(repo, 'worktree', 'lock', '--reason', 'mine', wish().path);
      },
      /it is locked: mine/,
    ],
    [
      'a worktree on another branch',
      ({ box, repo, wish }) =>
        box.git(repo, 'worktree', 'add', '--quiet', '-b', 'mine', wish().path),
      /it is on refs\/heads\/mine/,
    ],
  ];

  test.each(refusals)('%s: refused with the reason, and left as it is', async (_, arrange, why) => {
    const repository = laneRepository();
    const { box, repo, wish } = repository;
    arrange(repository);
    const state = () => [
      box.git(repo, 'for-each-ref'),
      box.git(repo, 'worktree', 'list', '--porcelain'),
      existsSync(wish().path) && readdirSync(dirname(wish().path)),
    ];
    const before = state();
    const failure = ensureWorktree(wish());
    await expect(failure).rejects.toThrow(why);
    await expect(failure).rejects.toMatchObject({ hint: expect.any(String) });
    expect(state()).toEqual(before);
  });

  test.each<[string, (repository: LaneRepository) => string, RegExp]>([
    ['in the main checkout', ({ repo }) => join(repo, 'lane'), /it is in/],
    ['the main checkout itself', ({ repo }) => repo, /it is in/],
    ['in the git directory', ({ repo }) => join(repo, '.git/lane'), /it is in/],
    ['above the root', ({ box }) => join(box.laneholdHome, 'lane'), /not below/],
    ['the root', ({ root }) => root, /not below/],
    ['with dots', ({ root }) => `${root}/../lane`, /not below/],
    ['relative', () => 'lane', /not below/],
    ['in another worktree', ({ wish }) => join(wish('other').path, 'lane'), /it is in/],
    ['around another worktree', ({ wish }) => dirname(wish('other').path), /something is in/],
  ])('a path %s is refused', async (name, path, why) => {
    const repository = laneRepository();
    await ensureWorktree(repository.wish('other'));
    const root =
      / (main checkout|git directory)/.test(name) || name.startsWith('the main')
        ? repository.box.root
        : repository.root;
    const failure = ensureWorktree(repository.wish('api', { path: path(repository), root }));
    await expect(failure).rejects.toThrow(why);
    expect(repository.box.git(repository.repo, 'branch', '--list', 'lanehold/run/api')).toBe('');
  });
});

describe('failures', () => {
  test('a missing commit leaves no branch and no folder', async () => {
    const { box, repo, wish } = laneRepository();
    await expect(ensureWorktree(wish('api', { sha: '1'.repeat(40) }))).rejects.toThrow(
      /update-ref/,
    );
    expect(box.git(repo, 'branch', '--list')).toBe('* main');
    expect(existsSync(wish().path)).toBe(false);
  });

  test('a checkout that fails is rolled back, and can be tried again', async () => {
    const { box, repo, wish } = laneRepository();
    box.write('repo/.gitattributes', '*.txt filter=broken\n');
    box.git(repo, 'config', 'filter.broken.clean', 'cat');
    box.git(repo, 'config', 'filter.broken.smudge', 'false');
    box.git(repo, 'config', 'filter.broken.required', 'true');
    box.git(repo, 'add', '.gitattributes');
    box.git(repo, 'commit', '--quiet', '--message', 'filter');
    const asked = wish('api', { sha: box.git(repo, 'rev-parse', 'HEAD') });
    await expect(ensureWorktree(asked)).rejects.toThrow(/smudge|checkout|worktree add/);
    expect(box.git(repo, 'branch', '--list')).toBe('* main');
    expect(box.git(repo, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(existsSync(asked.path)).toBe(false);
    box.git(repo, 'config', '--unset', 'filter.broken.smudge');
    box.git(repo, 'config', '--unset', 'filter.broken.required');
    expect(await ensureWorktree(asked)).toMatchObject({ created: true });
  });

  test('a killed checkout is made again', async () => {
    const { box, wish } = laneRepository();
    const asked = wish();
    const { gitDir } = await ensureWorktree(asked);
    box.write(`${gitDir}/locked`, 'initializing');
    unlinkSync(join(asked.path, 'a.txt'));
    expect(await ensureWorktree(asked)).toMatchObject({ created: true });
    expect(box.git(asked.path, 'status', '--porcelain')).toBe('');
  });

  test('a process that was killed after making the branch can continue with it', async () => {
    const { box, repo, wish } = laneRepository();
    const asked = wish();
    await ensureWorktree(asked);
    box.git(repo, 'worktree', 'remove', '--force', '--force', asked.path);
    await expect(ensureWorktree({ ...asked, attempt: 'other' })).rejects.toThrow(/not made/);
    expect(await ensureWorktree(asked)).toMatchObject({ created: true });
  });
});

describe('linkedGitDir', () => {
  test.each<[string, (repository: LaneRepository, path: string) => unknown, RegExp]>([
    [
      'a repository of its own in its place',
      ({ box }, path) => {
        unlinkSync(join(path, '.git'));
        box.git(path, 'init', '--quiet');
      },
      /repository of its own/,
    ],
    ['no `.git`', (_, path) => unlinkSync(join(path, '.git')), /has no `.git`/],
    ['no folder', (_, path) => rmSync(path, { recursive: true }), /has no `.git`/],
    [
      'another repository’s worktree',
      ({ box }, path) => {
        const other = box.repo('other');
        box.commit(other);
        box.git(other, 'worktree', 'add', '--quiet', join(box.root, 'theirs'));
        box.write(`${path}/.git`, readFileSync(join(box.root, 'theirs/.git')));
      },
      /belongs to the repository/,
    ],
  ])('%s is refused', async (_, harm, why) => {
    const repository = laneRepository();
    const asked = repository.wish();
    const { gitDir } = await ensureWorktree(asked);
    const found = () => linkedGitDir(asked.path, asked.repository);
    expect(found()).toBe(gitDir);
    harm(repository, asked.path);
    // What is there is looked at once in a turn of the event loop.
    await nextTurn();
    expect(found()).toEqual({ why: expect.stringMatching(why) });
  });
});

describe('worktreePlace', () => {
  test('a folder is readable and cannot be another repository’s', () => {
    const { box, root } = laneRepository();
    const place = (name: string) =>
      worktreePlace({ root, repository: projectPlace(box.repo(name)), run: 'r', lane: 'l' });
    expect(place('we $(ird) 🙂\nname')).toMatch(/\/worktrees\/we-ird-name-[0-9a-f]{8}\/r\/l$/);
    expect(place('x/repo')).not.toBe(place('y/repo'));
  });

  test('links in the root are resolved', () => {
    const { box, repo } = laneRepository();
    mkdirSync(join(box.root, 'real'));
    symlinkSync(join(box.root, 'real'), join(box.root, 'link'));
    const repository = projectPlace(repo);
    const path = worktreePlace({ root: join(box.root, 'link'), repository, run: 'r', lane: 'l' });
    expect(path.startsWith(join(box.root, 'real/'))).toBe(true);
  });
});
