/** Work that goes on: after a refusal, by another agent, when a person has had a hand in it. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('who mends what was refused is told why, with the end of the log', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'checks/a.sh': 'echo "the roof leaks"; exit 1\n' } }], MENDS] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.orchestrate('retry', 'a');
  await run.reaches('a', 'verified');
  const [first, second] = project.starts('a');
  expect(readFileSync(first?.prompt ?? '', 'utf8')).not.toContain('the roof leaks');
  expect(readFileSync(second?.prompt ?? '', 'utf8')).toContain('the roof leaks');
  expect(second?.resumed).toBe(first?.session);
  expect(run.lane('a').attempts.map(({ kind }) => kind)).toEqual(['work', 'fix']);
});

const MENDS = [{ write: { 'checks/a.sh': 'true\n' } }] as const;

test('another agent goes on with what the first one has left, in a session of its own', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'half.txt': 'half' } }, { write: { broken: 'x' } }],
          [{ delete: ['broken'] }, { append: { 'half.txt': ' and the other' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.orchestrate('retry', 'a', '--agent', 'codex');
  await run.reaches('a', 'verified');
  const [first, second] = project.starts('a');
  expect([first?.client, second?.client]).toEqual(['claude', 'codex']);
  expect(second?.resumed).toBeUndefined();
  expect(second?.cwd).toBe(first?.cwd);
  expect(project.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half and the other');
});

test('what is verified can be worked on again, and stays verified if nothing comes of it', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'a.txt': 'a' } }],
          [{ say: 'Nothing to do.' }],
          [{ write: { broken: 'x' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'verified');
  const { head_sha: proved } = run.lane('a');
  const again = async (): Promise<void> => {
    const n = project.starts('a').length + 1;
    await run.orchestrate('retry', 'a');
    await project.until(`start ${n}`, () => project.starts('a').length === n);
    await run.settled();
  };
  await again();
  expect(run.lane('a')).toMatchObject({ state: 'verified', head_sha: proved });
  expect(run.lane('a').attempt?.end_cause).toBe('no-change');
  await again();
  expect(run.lane('a').state).toBe('failed');
  expect(run.lane('a').head_sha).not.toBe(proved);
});

test('what a person mends in the tree of a lane is judged without a worker', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { broken: 'x', 'a.txt': 'a' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  const { json } = await run.orchestrate('lane', 'open', 'a');
  project.box.git(json.worktree, 'rm', '--quiet', 'broken');
  await run.orchestrate('pause');
  await run.orchestrate('verify', 'a');
  expect(run.lane('a').state).toBe('verified');
  expect(project.starts('a')).toHaveLength(1);
  expect(project.git('ls-tree', '--name-only', run.lane('a').head_sha ?? '')).toContain('a.txt');
});

test('a lane that nobody has started can be done by hand', async () => {
  const project = laneProject();
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  const { json } = await run.orchestrate('lane', 'open', 'a');
  project.box.write(join(json.worktree, 'mine.txt'), 'mine');
  await run.orchestrate('verify', 'a');
  expect(run.lane('a').state).toBe('verified');
  expect(project.git('show', `${run.lane('a').head_sha}:mine.txt`)).toBe('mine');
  expect(project.starts()).toEqual([]);
});

test('a lane that was opened first takes nothing of those back that are integrated since', async () => {
  const lanes = { a: [[{ write: { 'a.txt': 'a' } }]], b: [[{ write: { 'b.txt': 'b' } }]] };
  const project = laneProject({ scenario: { lanes } });
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b']) await run.add(key);
  await run.orchestrate('lane', 'open', 'b');
  await run.orchestrate('spawn', 'a');
  await run.reaches('a', 'verified');
  await run.orchestrate('integrate');
  await run.orchestrate('spawn', 'b');
  await run.reaches('b', 'verified');
  const { base_sha: base, head_sha: head } = run.lane('b');
  expect(project.git('diff', '--name-status', `${base}`, `${head}`)).toBe('A\tb.txt');
});

test('a lane that is blocked stops, or does not start, until it is let', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { write: { 'half.txt': 'half' } },
            ...[{ raise: 'works' }, { waitFor: 'go' }, { write: { 'a.txt': 'a' } }],
          ],
        ],
        b: [[{ write: { 'b.txt': 'b' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.spawn();
  await project.until('a to work', () => project.isRaised('works'));
  await run.orchestrate('lane', 'block', 'b', '--reason', 'the design is not settled');
  // What it has done until now is shown before any of it is saved.
  expect((await run.orchestrate('lane', 'diff', 'a')).json.diff).toContain('half.txt');
  await run.orchestrate('lane', 'block', 'a', '--reason', 'not yet');
  expect(run.lane('a')).toMatchObject({ state: 'blocked', attempt: { end_cause: 'paused' } });
  await run.orchestrate('lane', 'block', 'a', '--clear');
  await project.until('a to go on', () => project.starts('a').length === 2);
  project.raise('go');
  await run.reaches('a', 'verified');
  await run.reconcile();
  expect(run.lane('b')).toMatchObject({ state: 'blocked', blocked: 'the design is not settled' });
  expect(project.starts('b')).toEqual([]);
  await run.orchestrate('lane', 'block', 'b', '--clear');
  await run.reconcile();
  await run.reaches('b', 'verified');
});

test('a tree that somebody else made is judged like every other, and left where it is', async () => {
  const project = laneProject();
  const spike = join(project.box.root, 'spike');
  project.git('worktree', 'add', '--quiet', '-b', 'spike', spike);
  project.box.write(join(spike, 'spike.txt'), 'mine');
  const run = laneRun(project);
  await run.init();
  const adopt = (key: string, folder: string) =>
    project.lanehold(
      ...['orchestrate', 'lane', 'adopt', key, '--worktree', folder, '--desc', 'Spike'],
      ...['--validate', 'sh check.sh', '--agent', 'claude-code'],
    );
  expect(await adopt('spike', spike)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Not committed yet: 1 file; verify commits what is there'),
  });
  const verified = await project.lanehold('orchestrate', 'verify', 'spike');
  expect(verified.stdout).toMatch(/^Committed 1 changed file on spike\nLane spike is verified/);
  expect(run.lane('spike')).toMatchObject({ state: 'verified', branch: 'spike', worktree: spike });
  expect(project.box.git(spike, 'show', 'spike:spike.txt')).toBe('mine');

  const own = await adopt('own', project.repo);
  expect(own.exitCode).toBe(2);
  expect(own.stderr).toContain('the main checkout cannot be a lane');
  const other = join(project.box.root, 'other');
  project.box.git(project.box.root, 'init', '--quiet', other);
  expect((await adopt('other', other)).stderr).toContain('no worktree of this repository');
  project.box.git(spike, 'switch', '--quiet', '--detach');
  expect((await adopt('loose', spike)).stderr).toMatch(/no branch is checked out|is lane/);
});

test('in an adopted worktree packages are installed as its person does it, without a link to anything', async () => {
  const files = { '.gitignore': 'node_modules\n', 'package.json': '{}', 'pnpm-lock.yaml': 'a' };
  const project = laneProject({ files, scenario: { lanes: { spike: [[{ write: { x: 'x' } }]] } } });
  const { box } = project;
  const calls = join(box.root, 'calls');
  box.write('bin/pnpm', `#!/bin/sh\necho "$PWD $*" >> ${calls}\n`);
  chmodSync(join(box.root, 'bin/pnpm'), 0o755);
  const spike = join(box.root, 'spike');
  project.git('worktree', 'add', '--quiet', '-b', 'spike', spike);
  const run = laneRun(project);
  await run.init();
  const adopt = ['lane', 'adopt', 'spike', '--worktree', spike, '--desc', 'Spike'];
  await run.orchestrate(...adopt, '--validate', 'sh check.sh', '--agent', 'claude-code');
  await run.spawn();
  await run.reaches('spike', 'verified');
  expect(project.starts('spike')).toHaveLength(1);
  const lines = readFileSync(calls, 'utf8').split('\n');
  expect(lines.filter((it) => it.startsWith(`${spike} `))).toEqual([
    `${spike} install --frozen-lockfile`,
  ]);
});

test('a lane that asks waits for the answer, unless somebody lets it go on without', async () => {
  const asks = (word: string) => [
    { write: { [`${word}.txt`]: word } },
    { lanehold: ['orchestrate', 'ask', 'Which colour?'] },
    { write: { broken: 'x' } },
  ];
  const goesOn = [{ delete: ['broken'] }];
  const project = laneProject({
    scenario: { lanes: { a: [asks('a'), goesOn], b: [asks('b'), goesOn] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn();
  await run.reaches('a', 'asks');
  await run.reaches('b', 'asks');
  await run.reconcile();
  expect(project.starts()).toHaveLength(2);
  await run.orchestrate('answer', 'a', 'Green, like the others');
  await run.reaches('a', 'verified');
  const second = project.starts('a')[1];
  expect(readFileSync(second?.prompt ?? '', 'utf8')).toContain('Green, like the others');
  expect(second?.resumed).toBe(project.starts('a')[0]?.session);
  await run.orchestrate('retry', 'b');
  await run.reaches('b', 'verified');
});
