import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import {
  commitTree,
  deleteRef,
  isAncestor,
  mergeTrees,
  moveRef,
  refAt,
  treeOf,
} from '../../../src/base/git/plumbing.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { ODD_NAMES, started } from './situations.ts';

const NONE = '0'.repeat(40);
const REF = 'refs/lanehold/run/lane/ckpt';
const author = { name: 'lane api', email: 'lane@lanehold.invalid' };
const at = new Date('2026-11-22T10:00:00.500Z');

/** Two branches from `main`, each with a change of its own; returns their commits. */
function forked(box: Sandbox, ours: Record<string, string>, theirs: Record<string, string>) {
  const repo = started(box);
  const [a, b] = [ours, theirs].map((files, index) => {
    box.git(repo, 'checkout', '--quiet', '-b', `side-${index}`, 'main');
    for (const [name, text] of Object.entries(files)) box.write(`repo/${name}`, text);
    return box.commit(repo);
  });
  box.git(repo, 'checkout', '--quiet', 'main');
  return { repo, git: gitIn(repo, box.env), a: a ?? '', b: b ?? '' };
}

describe('commitTree', () => {
  test('writes the same commit under any settings', async () => {
    const box = sandbox();
    const repo = started(box);
    box.git(repo, 'config', 'commit.gpgSign', 'true');
    box.git(repo, 'config', 'user.signingKey', 'nobody');
    const git = gitIn(repo, box.env);
    const head = box.git(repo, 'rev-parse', 'HEAD');
    const tree = await treeOf(git, head);
    const message = '|quotes " and \'\n\n$(touch x) 🙂\n';

    const commit = { tree, parents: [head], message, author, at };
    const oid = commitTree(git, commit);

    expect(commitTree(git, commit)).toBe(oid);
    const format = '--format=%T %P|%an|%ae|%ai|%ci|%cn%n%B';
    expect(box.git(repo, 'log', '-1', format, oid)).toBe(
      `${tree} ${head}|lane api|lane@lanehold.invalid|2026-11-22 10:00:00 +0000|` +
        `2026-11-22 10:00:00 +0000|lane api\n${message}`,
    );
    box.git(repo, 'fsck', '--strict');
  });

  test('keeps a hostile name on its line, and a message without NUL', async () => {
    const box = sandbox();
    const repo = started(box);
    const git = gitIn(repo, box.env);
    const oid = commitTree(git, {
      tree: await treeOf(git, 'HEAD'),
      parents: [],
      message: 'a\0b',
      author: { name: 'a <b>\nparent 0', email: '<>' },
      at,
    });
    expect(box.git(repo, 'log', '-1', '--format=%an|%ae|%P|%s', oid)).toBe(
      'a b parent 0|||a\uFFFDb',
    );
    box.git(repo, 'fsck', '--strict');
  });

  test('an empty name is replaced', async () => {
    const box = sandbox();
    const repo = started(box);
    const git = gitIn(repo, box.env);
    const nobody = { name: ' ', email: 'x' };
    const tree = await treeOf(git, 'HEAD');
    const oid = commitTree(git, { tree, parents: [], message: 'm', author: nobody, at });
    expect(box.git(repo, 'log', '-1', '--format=%an', oid)).toBe('lanehold');
  });
});

describe('refs', () => {
  test('a ref moves only from where the caller believes it to be', async () => {
    const box = sandbox();
    const { repo, git, a, b } = forked(box, { 'x.txt': '1' }, { 'y.txt': '2' });
    expect(await refAt(git, REF)).toBeUndefined();
    expect(await moveRef(git, REF, a, b, 'start')).toBe('lost');
    expect(await moveRef(git, REF, a, NONE, 'start')).toBe('moved');
    expect(await moveRef(git, REF, b, NONE, 'again')).toBe('lost');
    expect(await refAt(git, REF)).toBe(a);
    expect(await moveRef(git, REF, b, a, '')).toBe('moved');
    expect(box.git(repo, 'rev-parse', REF)).toBe(b);
    expect(await deleteRef(git, REF, a)).toBe('lost');
    expect(await deleteRef(git, REF, b)).toBe('deleted');
    expect(await deleteRef(git, REF, b)).toBe('lost');
  });

  test('one of ten writers wins', async () => {
    const box = sandbox();
    const { git, a, b } = forked(box, { 'x.txt': '1' }, { 'y.txt': '2' });
    await moveRef(git, REF, a, NONE, 'start');
    const writers = Array.from({ length: 10 }, () => moveRef(git, REF, b, a, 'race'));
    expect((await Promise.all(writers)).sort()).toEqual([...Array(9).fill('lost'), 'moved']);
  });

  test('no hook of the repository runs', async () => {
    const box = sandbox();
    const repo = started(box);
    const marker = join(box.root, 'marker');
    const hook = box.write(
      'repo/.git/hooks/reference-transaction',
      `#!/bin/sh\ntouch ${marker}\nexit 1\n`,
    );
    chmodSync(hook, 0o755);
    const head = readFileSync(join(repo, '.git/refs/heads/main'), 'utf8').trim();
    expect(await moveRef(gitIn(repo, box.env), REF, head, NONE, 'x')).toBe('moved');
    expect(existsSync(marker)).toBe(false);
  });

  test('a missing object is an error, not a lost race', async () => {
    const box = sandbox();
    const repo = started(box);
    const git = gitIn(repo, box.env);
    await expect(moveRef(git, REF, '1'.repeat(40), NONE, 'x')).rejects.toThrow(/update-ref/);
  });

  test('a branch below a name is not that name', async () => {
    const box = sandbox();
    const repo = started(box);
    box.git(repo, 'branch', 'lane/deep');
    expect(await refAt(gitIn(repo, box.env), 'refs/heads/lane')).toBeUndefined();
  });

  test('a sha256 repository', async () => {
    const box = sandbox();
    const repo = started(box, '--object-format=sha256');
    const git = gitIn(repo, box.env);
    const head = box.git(repo, 'rev-parse', 'HEAD');
    expect(await moveRef(git, REF, head, NONE, 'x')).toBe('moved');
    expect(await moveRef(git, REF, head, '0'.repeat(64), 'x')).toBe('lost');
  });

  test('isAncestor', async () => {
    const box = sandbox();
    const { git, a, b } = forked(box, { 'x.txt': '1' }, { 'y.txt': '2' });
    expect(await isAncestor(git, 'main', a)).toBe(true);
    expect(await isAncestor(git, a, a)).toBe(true);
    expect(await isAncestor(git, a, b)).toBe(false);
    await expect(isAncestor(git, '1'.repeat(40), a)).rejects.toThrow(/merge-base/);
  });
});

describe('mergeTrees', () => {
  test('two changes side by side', async () => {
    const box = sandbox();
    const { repo, git, a, b } = forked(box, { 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
    const merged = await mergeTrees(git, a, b);
    expect(merged).toEqual({ tree: expect.any(String), conflicts: [] });
    expect(box.git(repo, 'show', `${merged.tree}:a.txt`)).toBe('A');
    expect(box.git(repo, 'show', `${merged.tree}:b.txt`)).toBe('B');
    expect(box.git(repo, 'status', '--porcelain')).toBe('');
  });

  test('names each path in conflict once, also odd ones', async () => {
    const box = sandbox();
    const files = (text: string) =>
      Object.fromEntries(ODD_NAMES.map((name) => [`odd/${name}`, text]));
    const { git, a, b } = forked(box, files('1\n'), { ...files('2\n'), 'c.txt': 'c' });
    const merged = await mergeTrees(git, a, b);
    expect(merged.conflicts.toSorted()).toEqual(ODD_NAMES.map((name) => `odd/${name}`).sort());
  });

  test('a commit that is missing, or of another history, is an error', async () => {
    const box = sandbox();
    const { git, a } = forked(box, { 'a.txt': 'A\n' }, { 'b.txt': 'B\n' });
    await expect(mergeTrees(git, a, '1'.repeat(40))).rejects.toThrow(/merge-tree/);
    const tree = await treeOf(git, a);
    const alone = commitTree(git, { tree, parents: [], message: 'alone', author, at });
    await expect(mergeTrees(git, a, alone)).rejects.toThrow(/unrelated histories/);
  });
});

test('a git with an index of its own leaves that of the working tree alone', async () => {
  const box = sandbox();
  const repo = started(box);
  const before = readFileSync(join(repo, '.git/index'));
  const git = gitIn(repo, box.env, { indexFile: join(box.root, 'index') });
  await git.text(['read-tree', '--empty']);
  expect(await git.text(['ls-files'])).toBe('');
  expect(readFileSync(join(repo, '.git/index'))).toEqual(before);
});
