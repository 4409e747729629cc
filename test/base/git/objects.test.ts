import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { smallBlobs } from '../../../src/base/git/objects.ts';
import { sandbox } from '../../support/sandbox.ts';

type Box = ReturnType<typeof sandbox>;

/** A git that is only a script in front of the real one. */
function gitThrough(box: Box, script: string) {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const file = box.write('bin/git', `#!/bin/sh\n${script}\nexec '${real}' "$@"\n`);
  chmodSync(file, 0o755);
  return { ...box.env, PATH: [join(box.root, 'bin'), box.env.PATH].join(delimiter) };
}

test('names, also none, are answered in their order, whatever the objects hold', async () => {
  const box = sandbox();
  const repo = box.repo();
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
  writeFileSync(join(repo, 'bytes'), bytes);
  writeFileSync(join(repo, 'empty'), '');
  writeFileSync(join(repo, 'like an answer'), `${'0'.repeat(40)} blob 3\nabc\n`);
  const commit = box.commit(repo);
  const git = gitIn(repo, box.env);
  const [blob, none, empty, like, found] = await git.objects([
    'HEAD:bytes',
    'HEAD:none',
    'HEAD:empty',
    'HEAD:like an answer',
    'HEAD^{commit}',
  ]);
  expect(blob?.content.equals(bytes)).toBe(true);
  expect([none, empty?.content.length, found?.oid]).toEqual([undefined, 0, commit]);
  expect(like?.content.toString()).toBe(readFileSync(join(repo, 'like an answer'), 'utf8'));
  expect(await git.objects([])).toEqual([]);
  await expect(git.objects(['HEAD:a\nHEAD:empty'])).rejects.toThrow('has a line break');
});

test('what git says where it ends is the failure', async () => {
  const box = sandbox();
  const git = gitIn(box.root, box.env);
  await expect(git.objects(['HEAD'])).rejects.toThrow(/cat-file.*not a git repository/);
  await expect(gitIn(box.root, { ...box.env, PATH: '/nowhere' }).objects(['HEAD'])).rejects.toThrow(
    'not found',
  );
});

test('a git that does not answer is ended at the time limit', async () => {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, gitThrough(box, 'sleep 60'), { timeoutMs: 300 });
  await expect(git.objects(['HEAD'])).rejects.toThrow('timed out after 0.3 s');
});

test('what was written lately is read without a start of git, in any repository', async () => {
  const box = sandbox();
  const repo = box.repo();
  const large = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
  writeFileSync(join(repo, 'large'), large);
  writeFileSync(join(repo, 'small'), 'a\n');
  const commit = box.commit(repo);
  const [tree = '', ...blobs] = ['HEAD^{tree}', 'HEAD:large', 'HEAD:small'].map((it) =>
    box.git(repo, 'rev-parse', it),
  );
  const withoutGit = gitIn(repo, { ...box.env, PATH: '/nowhere' });
  const found = await withoutGit.objects([commit, tree, ...blobs]);
  expect(found.map((it) => it?.type)).toEqual(['commit', 'tree', 'blob', 'blob']);
  expect(found[0]?.content.toString()).toBe(`${box.git(repo, 'cat-file', 'commit', commit)}\n`);
  expect(found[2]?.content.equals(large)).toBe(true);
  const [, small = ''] = blobs;
  expect(await smallBlobs(withoutGit, [commit, ...blobs], 1_000)).toEqual(new Set([small]));

  box.git(repo, 'gc', '--quiet');
  const git = gitIn(repo, box.env);
  const missing = '1'.repeat(40);
  expect(await git.objects([...blobs, missing])).toEqual([found[2], found[3], undefined]);
  expect(await smallBlobs(git, [commit, ...blobs, missing], 1_000)).toEqual(new Set([small]));
});

test('a damaged object is missing, as git says of it', async () => {
  const box = sandbox();
  const repo = box.repo();
  writeFileSync(join(repo, 'file'), 'text\n');
  const oid = box.git(repo, 'hash-object', '-w', 'file');
  const file = join(repo, '.git/objects', oid.slice(0, 2), oid.slice(2));
  chmodSync(file, 0o644);
  writeFileSync(file, 'no object');
  expect(await gitIn(repo, box.env).objects([oid])).toEqual([undefined]);
});

test.each([
  ['sha1', 'blob 5\0fake\n'],
  ['sha1', 'blob 99999999\0real\n'],
  ['sha1', 'tree 5\0real\n'],
  ['sha256', 'blob 5\0fake\n'],
])(
  'the content is that of the packed object of this name, whatever a new file has: %s, %j',
  async (hash, forged) => {
    const box = sandbox();
    const repo = box.repo('repo', `--object-format=${hash}`);
    writeFileSync(join(repo, 'file'), 'real\n');
    box.commit(repo);
    box.git(repo, 'gc', '--quiet');
    const oid = box.git(repo, 'rev-parse', 'HEAD:file');
    const file = join(repo, '.git/objects', oid.slice(0, 2), oid.slice(2));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, deflateSync(forged));
    const git = gitIn(repo, box.env);
    const [found] = await git.objects([oid]);
    expect([found?.type, `${found?.content}`]).toEqual(['blob', 'real\n']);
    expect(await smallBlobs(git, [oid], 1_000)).toEqual(new Set([oid]));
  },
);
