/** C3: what a worker has written outlives everybody, its own folder included. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { type LaneFacts, rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('C3: staged, unstaged and new files come back after the tree is gone', async () => {
  const project = laneProject({
    files: {
      'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s', attempts: 1 } }),
      '.gitignore': 'ignored.txt\n',
    },
    scenario: {
      lanes: {
        a: [
          [
            { write: { 'staged.txt': 'staged', 'src/core.txt': 'changed\n' } },
            { git: ['add', 'staged.txt'] },
            { write: { 'new.txt': 'new', 'ignored.txt': 'ignored' } },
            { write: { '.env': 'TOKEN=hush', 'deploy.pem': 'hush' } },
            { raise: 'written' },
            { hang: true },
          ],
          [{ record: 'again' }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the files', () => project.isRaised('written'));
  const kept = await project.until('a checkpoint of them', () =>
    rows(project, 'SELECT tree FROM checkpoints ORDER BY at DESC')
      .map(({ tree }) => project.git('ls-tree', '-r', '--name-only', String(tree)))
      .find((names) => names.includes('new.txt')),
  );
  expect(kept).not.toMatch(/\.env|deploy\.pem|ignored\.txt/);

  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  rmSync(run.lane('a').worktree ?? '', { recursive: true });
  project.git('gc', '--quiet', '--prune=now');
  await run.settled();
  await run.orchestrate('resume', 'a');
  await run.settled();

  const begun = project.journal().find((it) => it.event === 'record');
  expect(begun).toBeDefined();
  const show = (path: string): string => project.git('show', `${run.lane('a').head_sha}:${path}`);
  expect([show('staged.txt'), show('new.txt'), show('src/core.txt')]).toEqual([
    'staged',
    'new',
    'changed',
  ]);
  expect(run.lane('a').state).toBe('verified');
  const [last] = rows(project, 'SELECT sha FROM checkpoints ORDER BY at DESC, seq DESC');
  for (const sha of [run.lane('a').head_sha, last?.sha]) {
    const names = project.git('ls-tree', '-r', '--name-only', String(sha));
    expect(names).not.toMatch(/\.env|deploy\.pem|ignored\.txt/);
  }

  project.git('gc', '--quiet', '--prune=now');
  const lane = async (...args: readonly string[]) =>
    (await project.orchestrate('lane', ...args)).stdout;
  const { checkpoints } = JSON.parse(await lane('checkpoints', 'a', '--json'));
  for (const { sha } of checkpoints) project.git('cat-file', '-e', sha);
  const [first] = checkpoints;
  const to = join(project.box.root, 'earlier');
  expect(await lane('restore', 'a', first.id, '--to', to)).toContain(to);
  expect(project.git('ls-tree', '-r', '--name-only', first.sha).split('\n').sort()).toEqual(
    readdirSync(to, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => relative(to, join(it.parentPath, it.name)))
      .sort(),
  );
  const again = await project.orchestrate('lane', 'restore', 'a', 'last', '--to', to);
  expect(again).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('is there already') });
  expect(await lane('diff', 'a', '--stat')).toContain('staged.txt');
});

test('C3: a checkpoint leaves no trace in the index, the branch or the stash of the worker', async () => {
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s' } }) },
    scenario: {
      lanes: { a: [[{ write: { 'new.txt': 'new' } }, { raise: 'written' }, { waitFor: 'go' }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the file', () => project.isRaised('written'));
  const traces = ({ worktree }: LaneFacts): string[] => [
    readFileSync(indexOf(worktree ?? '')).toString('base64'),
    project.box.git(worktree ?? '', 'rev-parse', 'HEAD'),
    project.box.git(worktree ?? '', 'stash', 'list'),
  ];
  const indexOf = (tree: string): string =>
    join(project.box.git(tree, 'rev-parse', '--path-format=absolute', '--git-dir'), 'index');
  const before = traces(run.lane('a'));
  await project.until('a checkpoint', () => rows(project, 'SELECT * FROM checkpoints').length > 0);
  expect(traces(run.lane('a'))).toEqual(before);
  project.raise('go');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
});
