import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { readRefs } from '../../../src/base/git/known-refs.ts';
import { checkedOutBranch, refAt } from '../../../src/base/git/plumbing.ts';
import { sandbox } from '../../support/sandbox.ts';

const box = sandbox(afterAll);
const repo = box.repo();
box.write('repo/a.txt', 'one\n');
const first = box.commit(repo, 'first');
box.write('repo/a.txt', 'two\n');
const second = box.commit(repo, 'second');
const linked = join(box.root, 'linked');
box.git(repo, 'worktree', 'add', '--quiet', '-b', 'team/linked', linked, first);
box.git(repo, 'tag', '--annotate', '--message', 'one', 'v1', first);

const file = (ref: string): string => join(repo, '.git', ref);
const at = (ref: string, folder = repo) => refAt(gitIn(folder, box.env), ref);
const asGitSays = (ref: string): string | undefined =>
  box.git(repo, 'for-each-ref', '--format=%(objectname)', ref).split('\n')[0] || undefined;

/** Each is read twice: from a file of its own, and from the file of packed refs. */
it.each(['loose', 'packed'])('a %s ref is where git says it is', async (how) => {
  if (how === 'packed') box.git(repo, 'pack-refs', '--all');
  for (const ref of [
    'refs/heads/main',
    'refs/heads/team/linked',
    'refs/tags/v1',
    'refs/heads/none',
  ]) {
    expect([ref, await at(ref), await at(ref, linked)]).toEqual([
      ref,
      asGitSays(ref),
      asGitSays(ref),
    ]);
  }
  expect(await at('refs/heads/main')).toBe(second);
  expect(await at('refs/heads/team')).toBeUndefined();
  expect(await at('refs/heads/linked')).toBeUndefined();
});

it('a ref that has moved since it was packed is where its file says', async () => {
  box.git(repo, 'pack-refs', '--all');
  box.git(repo, 'update-ref', 'refs/heads/main', first);
  expect(await at('refs/heads/main')).toBe(first);
  box.git(repo, 'update-ref', 'refs/heads/main', second);
});

it('git is asked where a file holds no id', async () => {
  box.git(repo, 'symbolic-ref', 'refs/heads/other', 'refs/heads/main');
  expect(await at('refs/heads/other')).toBe(second);
  writeFileSync(file('refs/heads/empty'), '');
  expect(await at('refs/heads/empty')).toBeUndefined();
  rmSync(file('refs/heads/empty'));
  box.git(repo, 'update-ref', '-d', '--no-deref', 'refs/heads/other');
});

it.each([
  ['a name that git does not allow', 'refs/heads/a..b', (oid: string) => `${oid}\n`],
  ['the lock of another ref', 'refs/heads/main.lock', (oid: string) => `${oid}\n`],
  ['a line that is no plain id', 'refs/heads/odd', (oid: string) => ` ${oid}\n`],
])('a file is no ref that git does not take for one: %s', async (_, ref, text) => {
  writeFileSync(file(ref), text(second));
  expect(await at(ref)).toBeUndefined();
  rmSync(file(ref));
});

it('a cut or doubtful file of packed refs is left to git', async () => {
  box.git(repo, 'update-ref', 'refs/tags/odd', first);
  box.git(repo, 'pack-refs', '--all');
  const whole = readFileSync(file('packed-refs'), 'utf8');
  writeFileSync(file('packed-refs'), whole.trimEnd());
  await expect(at('refs/tags/v1')).rejects.toThrow('packed-refs');
  writeFileSync(file('packed-refs'), `${second} refs/tags/odd\n${first} refs/tags/odd\n`);
  expect(await at('refs/tags/odd')).toBe(asGitSays('refs/tags/odd'));
  rmSync(file('packed-refs'));
  mkdirSync(file('packed-refs'));
  await expect(at('refs/tags/odd')).rejects.toThrow('packed-refs');
  rmdirSync(file('packed-refs'));
  writeFileSync(file('packed-refs'), whole);
  box.git(repo, 'update-ref', '-d', 'refs/tags/odd');
});

it('the branch that is checked out is where a symbolic ref leads', async () => {
  box.git(repo, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  box.git(repo, 'symbolic-ref', 'HEAD', 'refs/heads/alias');
  expect(await checkedOutBranch(gitIn(repo, box.env))).toBe('refs/heads/main');
  box.git(repo, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  box.git(repo, 'update-ref', '-d', '--no-deref', 'refs/heads/alias');
});

it('the branch that is checked out is known in each working tree, and none where HEAD is detached', async () => {
  const branches = () =>
    Promise.all([repo, linked].map((folder) => checkedOutBranch(gitIn(folder, box.env))));
  expect(await branches()).toEqual(['refs/heads/main', 'refs/heads/team/linked']);
  box.git(linked, 'checkout', '--quiet', '--detach');
  expect(await branches()).toEqual(['refs/heads/main', undefined]);
});

it('git is asked in a repository that keeps its refs in another way', async () => {
  const settings = readFileSync(file('config'), 'utf8');
  const other = '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trefStorage = reftable\n';
  writeFileSync(file('config'), `${settings}${other}`);
  mkdirSync(file('reftable'));
  // There is nothing in it, and a git before 2.45 does not know it.
  await expect(at('refs/heads/main').catch(() => 'refused')).resolves.not.toBe(second);
  writeFileSync(file('config'), settings);
  rmdirSync(file('reftable'));
  const folder = box.repo('sha256', '--object-format=sha256');
  const commit = box.commit(folder, 'first');
  expect(await at('refs/heads/main', folder)).toBe(commit);
});

const listedByGit = (folder: string): string[] =>
  box.git(folder, 'for-each-ref', '--format=%(objectname) %(refname)').split('\n').sort();

it('all refs, the current branch and the default branches are those that git lists', async () => {
  const other = box.repo('other');
  const commit = box.commit(other, 'first');
  for (const ref of [
    'heads/team/a',
    'remotes/origin/main',
    'remotes/o/p/dev',
    'notes/x',
    'heads/ö',
  ])
    box.git(other, 'update-ref', `refs/${ref}`, commit);
  box.git(other, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  box.git(other, 'symbolic-ref', 'refs/remotes/o/p/HEAD', 'refs/remotes/o/p/gone');
  const folder = join(box.root, 'tree');
  box.git(other, 'worktree', 'add', '--quiet', '--detach', folder);
  const states: (() => unknown)[] = [
    () => undefined,
    () => box.git(other, 'update-ref', '-d', 'refs/heads/ö'),
    () => box.git(other, 'pack-refs', '--all'),
    () => box.git(other, 'update-ref', 'refs/heads/team/a', box.commit(folder, 'second')),
    () => box.git(other, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main'),
    () => box.git(other, 'checkout', '--quiet', '--detach'),
    () => box.git(other, 'update-ref', 'refs/bisect/bad', commit),
    () => box.git(other, 'checkout', '--quiet', '--orphan', 'unborn'),
    () => writeFileSync(join(other, '.git/refs/heads/broken'), 'x'),
  ];
  for (const [at, change] of states.entries()) {
    change();
    for (const place of [other, folder]) {
      const { oids, defaultBranches, currentBranch, head } = await readRefs(
        gitIn(place, box.env),
        [],
      );
      const symbolic = ['refs/remotes/origin/HEAD'];
      const listed = listedByGit(place).filter(
        (it) => !symbolic.some((ref) => it.endsWith(` ${ref}`)),
      );
      expect([at, [...oids].map(([ref, oid]) => `${oid} ${ref}`).sort()]).toEqual([at, listed]);
      expect([...defaultBranches]).toEqual([['origin', 'refs/remotes/origin/main']]);
      const isBranch = place === other && at < 5;
      expect([at, currentBranch]).toEqual([at, isBranch ? 'main' : undefined]);
      const isUnborn = place === other && at >= 7;
      expect(head).toBe(isUnborn ? undefined : box.git(place, 'rev-parse', 'HEAD'));
    }
  }
});
