import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { gitIn } from '../../src/git/git.ts';
import { checkedOutBranch, refAt } from '../../src/git/plumbing.ts';
import { sandbox } from '../support/sandbox.ts';

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
  // There are no such files here, and a git before 2.45 does not know them.
  await expect(at('refs/heads/main').catch(() => 'refused')).resolves.not.toBe(second);
  writeFileSync(file('config'), settings);
  const folder = box.repo('sha256', '--object-format=sha256');
  const commit = box.commit(folder, 'first');
  expect(await at('refs/heads/main', folder)).toBe(commit);
});
