import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Git } from '../../../src/base/git/git.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { fileAt } from '../../../src/base/git/paths.ts';
import { projectPlace } from '../../../src/base/git/project.ts';
import { folderTree, projectPaths } from '../../../src/base/git/project-files.ts';
import { listIndex, snapshotOf } from '../../../src/base/git/repository-snapshot.ts';
import { hookGit } from '../../../src/base/git/small-git.ts';
import { indexTree, worktreeTree } from '../../../src/base/git/tree.ts';
import { type TreeEntry, withinAny } from '../../../src/base/git/tree-entry.ts';
import { treeAt } from '../../../src/base/git/tree-objects.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { makePipe, ODD_NAMES, SITUATIONS, started, withSubmodule } from './situations.ts';

const sorted = (entries: readonly TreeEntry[]) =>
  entries.map(({ mode, oid, path }) => `${mode} ${oid} ${JSON.stringify(path)}`).sort();

const worktreeOf = async ({ env }: Sandbox, folder: string) =>
  sorted(await worktreeTree(gitIn(folder, env), folder, ['']));
const indexOf = async ({ env }: Sandbox, folder: string) =>
  sorted(await indexTree(gitIn(folder, env), ['']));
const commitOf = async ({ env }: Sandbox, folder: string, revision: string) =>
  sorted(await treeAt(gitIn(folder, env), revision, ['']));

function copyOf({ root }: Sandbox, folder: string): string {
  const copy = `${root}/copy`;
  execFileSync('cp', ['-a', folder, copy]);
  return copy;
}

test.each(Object.entries(SITUATIONS))('git would commit the same: %s', async (name, arrange) => {
  const box = sandbox();
  const repo = started(box);
  arrange(box, repo);
  const copy = copyOf(box, repo);
  // Nothing of an index with a conflict can be committed.
  if (name !== 'a conflict') {
    const staged = await commitOf(box, copy, box.git(copy, 'write-tree'));
    expect(await indexOf(box, repo)).toEqual(staged);
  }
  box.git(copy, 'add', '--all');
  const committed = await commitOf(box, copy, box.git(copy, 'write-tree'));
  expect(await worktreeOf(box, repo)).toEqual(committed);
});

describe('files whose changes git is told to ignore', () => {
  const flags = ['--assume-unchanged', '--skip-worktree'];
  const forms = [[], ['--index-version', '4'], ['--split-index']];
  const inEachForm = flags.flatMap((flag) => forms.map((form) => [flag, form] as const));

  test.each(inEachForm)(
    '%s %s: a change counts, as it is what tests run on',
    async (flag, form) => {
      const box = sandbox();
      const repo = started(box);
      box.git(repo, 'update-index', flag, 'a.txt', 'run.sh');
      box.git(repo, 'update-index', ...form);
      expect(await worktreeOf(box, repo)).toEqual(await commitOf(box, repo, 'HEAD'));
      box.write('repo/a.txt', 'other\n');
      chmodSync(join(repo, 'run.sh'), 0o644);
      expect(box.git(repo, 'status', '--porcelain')).toBe('');

      const found = await worktreeOf(box, repo);

      box.git(repo, 'update-index', flag.replace('--', '--no-'), 'a.txt', 'run.sh');
      box.commit(repo);
      expect(found).toEqual(await commitOf(box, repo, 'HEAD'));
    },
  );

  test('one that is gone is deleted', async () => {
    const box = sandbox();
    const repo = started(box);
    box.git(repo, 'update-index', '--assume-unchanged', 'a.txt');
    unlinkSync(join(repo, 'a.txt'));
    expect(await worktreeOf(box, repo)).not.toContainEqual(expect.stringContaining('"a.txt"'));
  });

  test('one that is left out of the checkout is not', async () => {
    const box = sandbox();
    const repo = started(box);
    for (const flag of flags) box.git(repo, 'update-index', flag, 'a.txt');
    unlinkSync(join(repo, 'a.txt'));
    expect(await worktreeOf(box, repo)).toEqual(await commitOf(box, repo, 'HEAD'));
  });
});

test('a submodule with changes of its own stands for no commit', async () => {
  const box = sandbox();
  const repo = started(box);
  const sub = withSubmodule(box, repo);
  const clean = await worktreeOf(box, repo);
  box.write(`${sub}/lib.txt`, 'two\n');
  const dirty = await worktreeOf(box, repo);
  expect(dirty).not.toEqual(clean);
  box.write(`${sub}/more.txt`, '1\n');
  const more = await worktreeOf(box, repo);
  box.write(`${sub}/more.txt`, '2\n');
  expect([dirty, more]).not.toContainEqual(await worktreeOf(box, repo));
  box.write(`${sub}/more.txt`, '1\n');
  expect(await worktreeOf(box, repo)).toEqual(more);
  box.commit(sub);
  box.commit(repo);
  const committed = await commitOf(box, repo, 'HEAD');
  expect(await worktreeOf(box, repo)).toEqual(committed);
  expect(committed).not.toEqual(dirty);
});

test.each(['sha1', 'sha256'])(
  'a %s repository, from before its first commit on',
  async (format) => {
    const box = sandbox();
    const repo = box.repo('repo', `--object-format=${format}`);
    expect(await worktreeOf(box, repo)).toEqual([]);
    expect(await indexOf(box, repo)).toEqual([]);
    box.write('repo/a.txt', 'a\n');
    symlinkSync('a.txt', join(repo, 'link'));
    const found = await worktreeOf(box, repo);
    expect(found).toHaveLength(2);
    expect(await indexOf(box, repo)).toEqual([]);
    box.commit(repo);
    expect(await commitOf(box, repo, 'HEAD')).toEqual(found);
    expect(await indexOf(box, repo)).toEqual(found);
  },
);

test('the same content has the same entries in another worktree, a clone and a folder', async () => {
  const box = sandbox();
  const repo = started(box);
  for (const name of ODD_NAMES) box.write(`repo/odd/${name}`, name);
  box.commit(repo);
  const expected = await worktreeOf(box, repo);
  box.git(repo, 'worktree', 'add', '--quiet', `${box.root}/linked`);
  box.git('.', 'clone', '--quiet', repo, 'clone');
  box.git('.', 'clone', '--quiet', '--depth=1', `file://${repo}`, 'shallow');
  box.git('.', 'clone', '--quiet', repo, 'folder');
  rmSync(`${box.root}/folder/.git`, { recursive: true });

  for (const folder of ['linked', 'clone', 'shallow']) {
    expect(await worktreeOf(box, `${box.root}/${folder}`)).toEqual(expected);
  }
  expect(sorted(await folderTree(`${box.root}/folder`, ['']))).toEqual(expected);
});

test.each([
  [['src'], ['src/c.txt', 'src/deep/d.txt']],
  [
    ['src/deep', 'a.txt'],
    ['a.txt', 'src/deep/d.txt'],
  ],
  [['sr'], []],
  [['nowhere'], []],
  [[], []],
  [['*'], ['*']],
  [[':(glob)*'], [':(glob)*']],
  [[':colon'], [':colon']],
  [['-dash'], ['-dash']],
  [['new\nline'], ['new\nline']],
  [['日本'], ['日本/語']],
  [['\\'], []],
])('the scope %j is taken literally', async (scope, expected) => {
  const box = sandbox();
  const repo = started(box);
  for (const name of ODD_NAMES) box.write(`repo/${name}`, name);
  const git = gitIn(repo, box.env);
  const pathsOf = (entries: readonly TreeEntry[]) => entries.map(({ path }) => path).sort();

  expect(pathsOf(await worktreeTree(git, repo, scope))).toEqual(expected);
  box.commit(repo);
  expect(pathsOf(await worktreeTree(git, repo, scope))).toEqual(expected);
  expect(pathsOf(await indexTree(git, scope))).toEqual(expected);
  expect(pathsOf(await treeAt(git, 'HEAD', scope))).toEqual(expected);
});

test('a scope inside of a submodule, or beyond a link, holds nothing of this repository', async () => {
  const box = sandbox();
  const repo = started(box);
  withSubmodule(box, repo);
  symlinkSync('src', join(repo, 'to-folder'));
  box.commit(repo);
  const git = gitIn(repo, box.env);
  for (const scope of [['vendor/lib/lib.txt'], ['to-folder/deep'], ['a.txt/below']]) {
    expect(await worktreeTree(git, repo, scope)).toEqual([]);
    expect(await indexTree(git, scope)).toEqual([]);
    expect(await treeAt(git, 'HEAD', scope)).toEqual([]);
  }
});

test('a pipe in the place of a file is not read', async () => {
  const box = sandbox();
  const repo = started(box);
  unlinkSync(join(repo, 'a.txt'));
  makePipe(join(repo, 'a.txt'));
  const before = await commitOf(box, repo, 'HEAD');
  expect(await worktreeOf(box, repo)).toEqual(before.filter((line) => !line.includes('"a.txt"')));
});

test('a name that is no UTF-8 is refused with a way out once its file has changed', async () => {
  const box = sandbox();
  const repo = started(box);
  const file = Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0x61, 0xff])]);
  writeFileSync(file, 'one');
  box.commit(repo);
  expect(await worktreeOf(box, repo)).toEqual(await commitOf(box, repo, 'HEAD'));
  writeFileSync(file, 'two');
  await expect(worktreeOf(box, repo)).rejects.toMatchObject({ code: 'UNREADABLE_NAME' });
  box.commit(repo);
  expect(await worktreeOf(box, repo)).toEqual(await commitOf(box, repo, 'HEAD'));
  writeFileSync(Buffer.concat([file, Buffer.from('.new')]), 'new');
  await expect(worktreeOf(box, repo)).rejects.toMatchObject({ code: 'UNREADABLE_NAME' });

  // Another one, that differs in that byte alone, is another file wherever names are listed.
  const other = Buffer.from(file);
  other[other.length - 1] = 0xfe;
  writeFileSync(other, 'one');
  await expect(worktreeOf(box, repo)).rejects.toMatchObject({
    message: expect.stringMatching(/a\uFFFDfe, a\uFFFDff\.new$/),
  });
  const listed = await projectPaths(gitIn(repo, box.env), projectPlace(repo));
  const odd = listed.filter((path) => path.includes('\uFFFD'));
  expect(odd.sort()).toEqual(['a\uFFFDfe', 'a\uFFFDff', 'a\uFFFDff.new']);
  expect(odd.map((path) => readFileSync(fileAt(repo, path), 'utf8'))).toEqual([
    'one',
    'two',
    'new',
  ]);
});

test('nothing of the caller’s environment or of the repository redirects git', async () => {
  const box = sandbox();
  const repo = started(box);
  const other = box.repo('other');
  const marker = join(box.root, 'marker');
  box.git(repo, 'config', 'core.fsmonitor', `touch ${marker}`);
  const env = { ...box.env, GIT_DIR: `${other}/.git`, GIT_INDEX_FILE: '/nowhere', GIT_TRACE: '1' };
  const found = sorted(await worktreeTree(gitIn(repo, env), repo, ['']));
  expect(found).toEqual(await commitOf(box, repo, 'HEAD'));
  expect(existsSync(marker)).toBe(false);
});

test('reading leaves the repository as it was, to the byte', async () => {
  const box = sandbox();
  const repo = started(box);
  box.write('repo/a.txt', 'other\n');
  box.write('repo/new.txt', 'new\n');
  const index = readFileSync(join(repo, '.git/index'));
  const objects = box.git(repo, 'count-objects', '--verbose');
  await worktreeOf(box, repo);
  await indexOf(box, repo);
  expect(readFileSync(join(repo, '.git/index'))).toEqual(index);
  expect(box.git(repo, 'count-objects', '--verbose')).toBe(objects);
});

describe('a repository in the working tree that git does not track', () => {
  const pathsOf = async ({ env }: Sandbox, repo: string, scope: readonly string[]) => {
    const git = gitIn(repo, env);
    const tree = await worktreeTree(git, repo, scope, snapshotOf(git));
    return tree.map(({ path }) => path).sort();
  };

  test.each([
    ['all', ['']],
    ['the folder', ['inner']],
    ['a folder in it', ['inner/lib']],
    ['a file in it', ['inner/lib/v']],
  ])('its files count as those of any other folder: %s', async (_, scope) => {
    const box = sandbox();
    const repo = started(box);
    box.repo('repo/inner');
    box.write('repo/inner/lib/v', 'ok');
    box.commit(join(repo, 'inner'));
    box.repo('repo/inner/lib/deep');
    box.write('repo/inner/lib/deep/w', 'ok');
    const isWanted = withinAny(scope);
    const before = await worktreeOf(box, repo);
    box.write('repo/inner/.gitignore', '*.log\n');
    box.write('repo/inner/x.log', 'x');

    const found = (await pathsOf(box, repo, scope)).filter((it) => it.startsWith('inner/'));

    const all = ['inner/.gitignore', 'inner/lib/deep/w', 'inner/lib/v'];
    expect(found).toEqual(all.filter(isWanted));
    box.write('repo/inner/lib/v', 'other');
    expect(await worktreeOf(box, repo)).not.toEqual(before);
  });

  test('no setting of it hides its files', async () => {
    const box = sandbox();
    const repo = started(box);
    const inner = box.repo('repo/inner');
    box.write('repo/inner/v', 'ok');
    box.git(inner, 'config', 'core.worktree', box.root);
    box.write('repo/inner/.git/info/exclude', 'v\n');
    expect(await pathsOf(box, repo, ['inner'])).toEqual(['inner/v']);
  });

  test("the project's own worktrees are no content of it", async () => {
    const box = sandbox();
    const repo = started(box);
    const before = await worktreeOf(box, repo);
    box.git(repo, 'worktree', 'add', '--quiet', 'trees/one');
    expect(await worktreeOf(box, repo)).toEqual(before);
  });
});

test('names that are no UTF-8 are kept apart, in a commit and in the working tree', async () => {
  const box = sandbox();
  const repo = started(box);
  const named = (byte: number) =>
    Buffer.concat([Buffer.from(`${repo}/src/`), Buffer.from([byte]), Buffer.from('.bin')]);
  writeFileSync(named(0xff), 'x');
  box.commit(repo);
  const before = await commitOf(box, repo, 'HEAD');
  expect(await worktreeOf(box, repo)).toEqual(before);
  renameSync(named(0xff), named(0xfe));
  box.commit(repo);
  const after = await commitOf(box, repo, 'HEAD');
  expect(await worktreeOf(box, repo)).toEqual(after);
  expect(after).not.toEqual(before);
  unlinkSync(named(0xfe));
  box.git(repo, 'rm', '--quiet', '--cached', '-r', 'src');
  box.git(repo, 'reset', '--quiet');
  expect((await worktreeOf(box, repo)).length).toBe(before.length - 1);
});

test('an unchanged index is read without a start of git, and a changed one is not taken for it', async () => {
  const box = sandbox();
  const repo = box.repo();
  for (const name of ['a', 'b']) writeFileSync(join(repo, name), name);
  box.commit(repo);
  const git = hookGit(repo, box.env);
  const withoutGit = hookGit(repo, { ...box.env, PATH: '/nowhere' });
  const names = async (by: Git) => (await listIndex(by)).map((it) => it.path);
  await expect(names(withoutGit)).rejects.toThrow('not found');
  expect(await names(git)).toEqual(['a', 'b']);
  expect(await names(withoutGit)).toEqual(['a', 'b']);

  box.git(repo, 'update-index', '--assume-unchanged', 'a');
  await expect(names(withoutGit)).rejects.toThrow('not found');
  expect((await listIndex(git))[0]?.unseen).toBe('assumed');
  rmSync(join(repo, '.git/index'));
  expect(await names(git)).toEqual([]);

  // Entries of a split index are in another file.
  box.git(repo, 'reset', '--quiet');
  box.git(repo, 'update-index', '--split-index');
  expect(await names(git)).toEqual(['a', 'b']);
  await expect(names(withoutGit)).rejects.toThrow('not found');
});
