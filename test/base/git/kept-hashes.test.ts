/** Ids of changed files that a process keeps are those that git would commit them under, whatever changes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { hookGit } from '../../../src/base/git/hook-git.ts';
import { keptHashes } from '../../../src/base/git/kept-hashes.ts';
import { snapshotOf } from '../../../src/base/git/repository-snapshot.ts';
import { worktreeTree } from '../../../src/base/git/tree.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { seededRandom } from '../../support/seeded-random.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const STEPS = 70;
const PATHS = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/new.ts'];
/** Of one length, but for the one with other line ends. */
const CONTENTS = ['const n = 1;\n', 'const n = 2;\n', 'c = 1;\r\nd;\r\n', 'c = 2;\r\nd;\r\n'];
const ATTRIBUTES = ['', '*.ts text', '*.ts -text', '*.ts text=auto', '*.ts filter=turned'];

/** All that is there, in an index of its own. */
function committed(box: Sandbox, repo: string): string[] {
  const index = join(box.root, 'index');
  // With its times, by which git knows which files may have changed since.
  execFileSync('cp', ['-p', join(repo, '.git/index'), index]);
  const env = { ...box.env, GIT_INDEX_FILE: index };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: repo, env, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  git('add', '--all');
  const listing = git('ls-files', '--stage', '-z');
  return listing.split('\0').filter(Boolean).sort();
}

/** As hooks ask git. */
async function seen(box: Sandbox, repo: string): Promise<string[]> {
  const git = hookGit(repo, box.env);
  await snapshotOf(git).refs();
  const entries = await worktreeTree(git, repo, ['']);
  return entries.map(({ mode, oid, path }) => `${mode} ${oid} 0\t${path}`).sort();
}

/** What was just written is not kept. Here each step takes longer than a step of the file system's time. */
function keepWhatIsNew(): void {
  vi.spyOn(Date, 'now').mockImplementation(
    () => Math.round(performance.timeOrigin + performance.now()) + 10_000,
  );
}

type Act = (at: {
  readonly write: (path: string, content: string) => void;
  readonly git: (...args: string[]) => string;
}) => void;

const attributesIn = (path: string): [string, Act, Act] => [
  `attributes in ${path}`,
  ({ write }) => write(path, '*.ts -text\n'),
  ({ write }) => write(path, '*.ts text \n'),
];

test.each([
  attributesIn('.gitattributes'),
  attributesIn('src/.gitattributes'),
  attributesIn('.git/info/attributes'),
  attributesIn('../home/.config/git/attributes'),
  [
    'the file of attributes',
    ({ write, git }) => {
      git('config', 'core.attributesFile', '~/mine');
      write('../home/mine', '*.ts -text\n');
    },
    ({ write }) => write('../home/mine', '*.ts text \n'),
  ],
  [
    'line ends in the index, by which git converts those of the file or not',
    ({ write, git }) => {
      write('src/a.ts', '0\r\n');
      git('add', 'src/a.ts');
      git('config', 'core.autocrlf', 'input');
    },
    ({ git }) => {
      const oid = git('rev-parse', 'HEAD:src/a.ts').trim();
      git('update-index', '--cacheinfo', `100644,${oid},src/a.ts`);
    },
  ],
  [
    'settings',
    ({ git }) => git('config', 'core.autocrlf', 'false'),
    ({ git }) => git('config', 'core.autocrlf', 'input'),
  ],
  [
    'the branch behind the one that is checked out',
    ({ write, git }) => {
      write('../home/more', '[core]\nautocrlf = input\n');
      git('config', 'includeIf.onbranch:side.path', '~/more');
      git('branch', 'side');
      git('symbolic-ref', 'refs/heads/link', 'refs/heads/main');
      git('symbolic-ref', 'HEAD', 'refs/heads/link');
    },
    ({ git }) => git('symbolic-ref', 'refs/heads/link', 'refs/heads/side'),
  ],
  [
    'a program that filters',
    ({ write, git }) => {
      write('.gitattributes', '*.ts filter=turned\n');
      git('config', 'filter.turned.clean', 'sh ../turn');
      write('../turn', "tr '12' '21'\n");
    },
    ({ write }) => write('../turn', "tr '13' '31'\n"),
  ],
  ['its content', () => undefined, ({ write }) => write('src/a.ts', '2\r\n')],
] satisfies [string, Act, Act][])('after a change of %s', async (_, before, change) => {
  keepWhatIsNew();
  const box = sandbox();
  const repo = box.repo();
  box.write('repo/src/a.ts', '\n');
  box.commit(repo);
  const at = {
    write: (path: string, content: string) => box.write(join(repo, path), content),
    git: (...args: string[]) => box.git(repo, ...args),
  };
  before(at);
  at.write('src/a.ts', '1\r\n');
  for (let look = 0; look < 3; look += 1) await seen(box, repo);
  expect(await seen(box, repo)).toEqual(committed(box, repo));
  change(at);
  expect(await seen(box, repo)).toEqual(committed(box, repo));
});

test.each([1, 2])('after any changes (seed %i)', async (seed) => {
  keepWhatIsNew();
  const find = vi.spyOn(keptHashes, 'find');
  const box = sandbox();
  const repo = box.repo();
  for (const path of PATHS.slice(0, 3)) box.write(`repo/${path}`, 'const n = 0;\n');
  box.commit(repo);
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const git = (...args: string[]) => box.git(repo, ...args);
  const write = (path: string, lines: readonly string[]) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), `${pick(lines)}\n`);
  };
  const programs = ["tr '12' '21'", "tr '13' '31'"];
  const changes: readonly (() => unknown)[] = [
    ...[1, 2, 3].map(() => () => box.write(`repo/${pick(PATHS)}`, pick(CONTENTS))),
    () => rmSync(join(repo, pick(PATHS)), { force: true }),
    () => {
      const from = join(repo, pick(PATHS));
      if (existsSync(from)) renameSync(from, join(repo, pick(PATHS)));
    },
    () => write('.gitattributes', ATTRIBUTES),
    () => write('src/.gitattributes', ATTRIBUTES),
    () => write('.git/info/attributes', ATTRIBUTES),
    () => write('../home/.config/git/attributes', ATTRIBUTES),
    () => write('../home/mine', ATTRIBUTES),
    () => rmSync(join(repo, pick(['.gitattributes', 'src/.gitattributes'])), { force: true }),
    () => rmSync(join(repo, '.git/info/attributes'), { force: true }),
    () => rmSync(join(box.root, 'home/.config/git/attributes'), { force: true }),
    () => git('config', 'core.attributesFile', pick(['~/mine', '../none'])),
    () => git('config', '--unset-all', 'core.attributesFile').length,
    () => git('config', 'core.autocrlf', pick(['true', 'false', 'input'])),
    () => write('../home/more', ['[core]\nautocrlf = true', '[core]\nautocrlf = false']),
    () => git('config', 'include.path', '~/more'),
    // With a program among the filters nothing is kept.
    () => seed % 2 === 0 && git('config', 'filter.turned.clean', pick(programs)),
    () => random() < 0.2 && git('add', pick(['--all', '.gitattributes', 'src'])),
    () => random() < 0.2 && git('reset', '--quiet'),
  ];

  git('config', 'core.attributesFile', '../none');
  for (let step = 0; step < STEPS; step += 1) {
    const at = Math.floor(random() * changes.length);
    try {
      changes[at]?.();
    } catch {
      // There is nothing to add, or to unset.
    }
    const change = String(changes[at]);
    const files = await seen(box, repo);
    expect({ step, change, files }).toEqual({ step, change, files: committed(box, repo) });
  }
  const known = find.mock.results.filter(({ value }) => value !== undefined);
  if (seed % 2 === 1) expect(known.length).toBeGreaterThan(20);
});

test.each([
  [1_000, 'hashed again', 0],
  [3_000, 'not hashed again', 1],
])('a file that was written %i ms ago is %s', async (ago, _, kept) => {
  const box = sandbox();
  const repo = box.repo();
  box.write('repo/a.ts', '1\n');
  box.commit(repo);
  box.write('repo/a.ts', '2\n');
  const { ctimeMs } = statSync(join(repo, 'a.ts'));
  vi.spyOn(Date, 'now').mockReturnValue(Math.round(ctimeMs) + ago);
  const keep = vi.spyOn(keptHashes, 'keep');
  for (let look = 0; look < 4; look += 1) await seen(box, repo);
  expect(keep).toHaveBeenCalledTimes(kept);
});
