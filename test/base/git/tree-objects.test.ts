import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GitError } from '../../../src/base/git/git.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { changedBetween, treeAt } from '../../../src/base/git/tree-objects.ts';
import { sandbox } from '../../support/sandbox.ts';

const PATHS = ['a', 'b', 'b/c', 'b/d/e', 'b.c', 'b/d', 'ä/ö', 'x y/"q"', 'deep/er/and/deep/er'];

type Content = 'plain' | 'other' | 'program' | 'link';

function put(root: string, path: string, content: Content): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (content === 'link') symlinkSync('a', file);
  else writeFileSync(file, content === 'other' ? 'two' : 'one');
  if (content === 'program') chmodSync(file, 0o755);
}

const files = fc.dictionary(
  fc.constantFrom(...PATHS),
  fc.constantFrom<Content>('plain', 'other', 'program', 'link'),
);

test('differences and listings are those of git', { timeout: 120_000 }, async () => {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, box.env);
  const commitOf = (wanted: Readonly<Record<string, Content>>): string => {
    box.git(repo, 'rm', '-r', '--quiet', '--ignore-unmatch', '--force', '.');
    const taken: string[] = [];
    for (const [path, content] of Object.entries(wanted)) {
      const clashes = taken.some((it) => it.startsWith(`${path}/`) || path.startsWith(`${it}/`));
      if (!clashes) put(repo, path, content);
      if (!clashes) taken.push(path);
    }
    return box.commit(repo);
  };
  const listed = (...args: string[]) =>
    box
      .git(repo, ...args)
      .split('\0')
      .slice(0, -1)
      .sort();
  await fc.assert(
    fc.asyncProperty(files, files, fc.subarray(PATHS), async (before, after, scope) => {
      const [from, to] = [commitOf(before), commitOf(after)];
      const diff = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to];
      expect((await changedBetween(git, from, to)).sort()).toEqual(listed(...diff));
      const entries = await treeAt(git, to, scope);
      const tree = ['--literal-pathspecs', 'ls-tree', '-r', '-z', to, '--', ...scope];
      expect(entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}`).sort()).toEqual(
        scope.length === 0
          ? []
          : listed(...tree)
              .map((it) => it.replace(/ (blob|commit) /, ' '))
              .sort(),
      );
    }),
    { numRuns: 40 },
  );
});

/** Writes a tree that git itself would not make. */
function rawTree(
  repo: string,
  items: readonly (readonly [mode: string, name: string, oid: string])[],
) {
  const content = Buffer.concat(
    items.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  );
  const args = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
  return execFileSync('git', args, { cwd: repo, input: content, encoding: 'utf8' }).trim();
}

test('trees that git would not make are refused, or read as git reads them', async () => {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, box.env);
  const blob = (text: string) =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: repo,
      input: text,
      encoding: 'utf8',
    }).trim();
  const [one, two] = [blob('1'), blob('2')];
  const twice = rawTree(repo, [
    ['100644', 'a', one],
    ['100644', 'a', two],
  ]);
  await expect(treeAt(git, twice, [''])).rejects.toThrow('has a twice');

  // Two names that are the same text once they are decoded.
  const odd = rawTree(repo, [
    ['100644', '\xe4', one],
    ['100644', '\xf6', two],
  ]);
  expect((await treeAt(git, odd, [''])).map(({ oid }) => oid)).toEqual([one, two]);
  const folder = rawTree(repo, [['040000', 'old', odd]]);
  expect(await treeAt(git, folder, ['old'])).toHaveLength(2);

  await expect(treeAt(git, one, [''])).rejects.toThrow('not a tree object');
  const gone = rawTree(repo, [['40000', 'gone', '1'.repeat(40)]]);
  await expect(treeAt(git, gone, [''])).rejects.toThrow(GitError);
  expect(await treeAt(git, gone, ['elsewhere'])).toEqual([]);
});

test('a few objects that stand for endless paths are refused', { timeout: 60_000 }, async () => {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, box.env);
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: repo,
    input: '',
    encoding: 'utf8',
  }).trim();
  const names = Array.from({ length: 100 }, (_, at) => `n${at}`);
  let tree = rawTree(
    repo,
    names.map((name) => ['100644', name, blob]),
  );
  for (let level = 0; level < 4; level += 1)
    tree = rawTree(
      repo,
      names.map((name) => ['40000', name, tree]),
    );
  await expect(treeAt(git, tree, [''])).rejects.toThrow('wrote more than');
});
