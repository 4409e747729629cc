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
import { describe, expect, test } from 'vitest';
import { projectPlace } from '../../../src/git/project.ts';
import { ensureWorktree } from '../../../src/lanes/worktree/create.ts';
import { assertWorktree, worktreePlace } from '../../../src/lanes/worktree/place.ts';
import { type LaneWorld, laneWorld } from './lane-world.ts';

const PARALLEL_MS = 60_000;

describe('a worktree', () => {
  test('is made on a branch of its own, locked, and tracks nothing', async () => {
    const { box, repo, start, wish } = laneWorld();
    box.git(repo, 'config', 'branch.autoSetupMerge', 'always');
    const asked = wish();
    expect(await ensureWorktree(asked)).toMatchObject({ created: true, head: start });
    expect(box.git(asked.path, 'status', '--porcelain', '--branch')).toBe('## lanehold/run/api');
    expect(readFileSync(join(asked.path, 'src/b.txt'), 'utf8')).toBe('b\n');
    expect(box.git(repo, 'worktree', 'list', '--porcelain')).toContain(
      'locked lanehold:attempt-of-api',
    );
    expect(box.git(repo, 'config', '--list')).not.toContain('branch.lanehold/run/api');
    expect(box.git(repo, 'status', '--porcelain', '--branch')).toBe('## main');
  });

  test('is found again as it was left', async () => {
    const { box, wish } = laneWorld();
    const asked = wish();
    await ensureWorktree(asked);
    box.write(`${asked.path}/new.txt`, 'new');
    const head = box.commit(asked.path);
    box.write(`${asked.path}/a.txt`, 'other');
    expect(await ensureWorktree(asked)).toMatchObject({ created: false, head });
    expect(readFileSync(join(asked.path, 'a.txt'), 'utf8')).toBe('other');
    box.git(asked.path, 'checkout', '--quiet', '--detach');
    expect(await ensureWorktree(asked)).toMatchObject({ created: false, head });
  });

  test('is made anew where its folder is gone, on the branch as it stands', async () => {
    const { box, wish } = laneWorld();
    const asked = wish();
    await ensureWorktree(asked);
    box.write(`${asked.path}/new.txt`, 'new');
    const head = box.commit(asked.path);
    rmSync(asked.path, { recursive: true });
    const again = await ensureWorktree({ ...asked, attempt: 'second', branchOwner: 'lane' });
    expect(again).toMatchObject({ created: true, head });
    expect(existsSync(join(asked.path, 'new.txt'))).toBe(true);
  });

  test('whose `.git` the worker has deleted keeps the work', async () => {
    const { box, wish } = laneWorld();
    const asked = wish();
    await ensureWorktree(asked);
    box.write(`${asked.path}/new.txt`, 'new');
    unlinkSync(join(asked.path, '.git'));
    expect(await ensureWorktree(asked)).toMatchObject({ created: false });
    expect(box.git(asked.path, 'status', '--porcelain')).toBe('?? new.txt');
  });

  test('whose worker has switched to a branch of its own is the lane’s still', async () => {
    const { box, wish } = laneWorld();
    const asked = wish();
    await ensureWorktree(asked);
    box.git(asked.path, 'checkout', '--quiet', '-b', 'mine');
    await expect(ensureWorktree(asked)).rejects.toThrow(/it is on refs\/heads\/mine/);
    const again = await ensureWorktree({ ...asked, branchOwner: 'lane' });
    expect(again).toMatchObject({ created: false });
  });

  test('of a commit without files may be empty', async () => {
    const { box, repo, wish } = laneWorld();
    box.git(repo, 'rm', '--quiet', '-r', '.');
    const sha = box.commit(repo);
    expect(await ensureWorktree(wish('api', { sha }))).toMatchObject({ created: true });
  });

  test(
    'six at once, of one process',
    async () => {
      const { box, repo, start, wish } = laneWorld();
      const lanes = ['a', 'b', 'c', 'd', 'e', 'f'];
      const made = await Promise.all(lanes.map((lane) => ensureWorktree(wish(lane))));
      expect(made.map((it) => it.head)).toEqual(lanes.map(() => start));
      expect(box.git(repo, 'worktree', 'list').split('\n')).toHaveLength(7);
    },
    PARALLEL_MS,
  );

  test('no hook of the repository runs', async () => {
    const { box, repo, wish } = laneWorld();
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

describe('where the user’s own is in the way', () => {
  const refusals: [string, (world: LaneWorld) => unknown, RegExp][] = [
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
      'a worktree that somebody else has locked',
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
    const world = laneWorld();
    const { box, repo, wish } = world;
    arrange(world);
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

  test.each<[string, (world: LaneWorld) => string, RegExp]>([
    ['in the main checkout', ({ repo }) => join(repo, 'lane'), /main checkout/],
    ['the main checkout itself', ({ repo }) => repo, /main checkout/],
    ['in the git directory', ({ repo }) => join(repo, '.git/lane'), /main checkout/],
    ['above the root', ({ box }) => join(box.laneholdHome, 'lane'), /not below/],
    ['the root', ({ root }) => root, /not below/],
    ['with dots', ({ root }) => `${root}/../lane`, /no absolute path/],
    ['relative', () => 'lane', /no absolute path/],
    ['in another worktree', ({ wish }) => join(wish('other').path, 'lane'), /is around it/],
    ['around another worktree', ({ wish }) => dirname(wish('other').path), /is in it/],
  ])('a path %s is refused', async (name, path, why) => {
    const world = laneWorld();
    await ensureWorktree(world.wish('other'));
    const root =
      / (main checkout|git directory)/.test(name) || name.startsWith('the main')
        ? world.box.root
        : world.root;
    const failure = ensureWorktree(world.wish('api', { path: path(world), root }));
    await expect(failure).rejects.toThrow(why);
    expect(world.box.git(world.repo, 'branch', '--list', 'lanehold/run/api')).toBe('');
  });
});

describe('what fails on the way', () => {
  test('a commit that is not there leaves no branch and no folder', async () => {
    const { box, repo, wish } = laneWorld();
    await expect(ensureWorktree(wish('api', { sha: '1'.repeat(40) }))).rejects.toThrow(
      /update-ref/,
    );
    expect(box.git(repo, 'branch', '--list')).toBe('* main');
    expect(existsSync(wish().path)).toBe(false);
  });

  test('a checkout that fails is rolled back, and can be tried again', async () => {
    const { box, repo, wish } = laneWorld();
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

  test('a checkout that was killed half-way is made anew', async () => {
    const { box, start, wish } = laneWorld();
    const asked = wish();
    const { gitDir } = await ensureWorktree(asked);
    box.write(`${gitDir}/locked`, 'initializing');
    unlinkSync(join(asked.path, 'a.txt'));
    expect(await ensureWorktree(asked)).toMatchObject({ created: true, head: start });
    expect(box.git(asked.path, 'status', '--porcelain')).toBe('');
  });

  test('one who was killed between branch and folder has not lost the branch', async () => {
    const { box, repo, wish } = laneWorld();
    const asked = wish();
    await ensureWorktree(asked);
    box.git(repo, 'worktree', 'remove', '--force', '--force', asked.path);
    await expect(ensureWorktree({ ...asked, attempt: 'other' })).rejects.toThrow(/not made/);
    expect(await ensureWorktree(asked)).toMatchObject({ created: true });
  });
});

describe('assertWorktree', () => {
  test.each<[string, (world: LaneWorld, path: string) => unknown, RegExp]>([
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
    [
      'a worktree that git has forgotten',
      ({ box, repo }, path) => {
        box.git(repo, 'worktree', 'unlock', path);
        rmSync(join(repo, '.git/worktrees'), { recursive: true });
      },
      /does not know it/,
    ],
  ])('%s is refused', async (_, harm, why) => {
    const world = laneWorld();
    const asked = world.wish();
    const { gitDir } = await ensureWorktree(asked);
    expect(await assertWorktree(asked, world.box.env)).toMatchObject({ gitDir });
    harm(world, asked.path);
    await expect(assertWorktree(asked, world.box.env)).rejects.toThrow(why);
  });
});

describe('worktreePlace', () => {
  test('a folder is readable and cannot be another repository’s', () => {
    const { box, root } = laneWorld();
    const place = (name: string) =>
      worktreePlace({ root, repository: projectPlace(box.repo(name)), run: 'r', lane: 'l' });
    expect(place('we $(ird) 🙂\nname')).toMatch(/\/worktrees\/we-ird-name-[0-9a-f]{8}\/r\/l$/);
    expect(place('x/repo')).not.toBe(place('y/repo'));
  });

  test.each([
    '',
    '.',
    '..',
    'a..b',
    'a/b',
    'A',
    'a.lock',
    'a.',
    '-a',
    'a b',
    'a\n',
    'ä',
    'a'.repeat(65),
  ])('the name %j is refused', (run) => {
    const { root, repo } = laneWorld();
    const repository = projectPlace(repo);
    expect(() => worktreePlace({ root, repository, run, lane: 'l' })).toThrow(/cannot be the name/);
  });

  test('a root behind a link is what it is', () => {
    const { box, repo } = laneWorld();
    mkdirSync(join(box.root, 'real'));
    symlinkSync(join(box.root, 'real'), join(box.root, 'link'));
    const repository = projectPlace(repo);
    const path = worktreePlace({ root: join(box.root, 'link'), repository, run: 'r', lane: 'l' });
    expect(path.startsWith(join(box.root, 'real/'))).toBe(true);
  });
});
