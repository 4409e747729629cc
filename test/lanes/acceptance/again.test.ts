/** Work that goes on: after a refusal, by another agent, when a person has had a hand in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneRun } from '../../support/lane-run.ts';
import { laneWorld } from '../../support/lanes.ts';

test('who mends what was refused is told why, with the end of the log', async () => {
  const world = laneWorld({
    scenario: {
      lanes: { a: [[{ write: { 'checks/a.sh': 'echo "the roof leaks"; exit 1\n' } }], MENDS] },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.orchestrate('retry', 'a');
  await run.reaches('a', 'verified');
  const [first, second] = world.starts('a');
  expect(readFileSync(first?.prompt ?? '', 'utf8')).not.toContain('the roof leaks');
  expect(readFileSync(second?.prompt ?? '', 'utf8')).toContain('the roof leaks');
  expect(second?.resumed).toBe(first?.session);
  expect(run.lane('a').attempts.map(({ kind }) => kind)).toEqual(['work', 'fix']);
});

const MENDS = [{ write: { 'checks/a.sh': 'true\n' } }] as const;

test('another agent goes on with what the first one has left, in a session of its own', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'half.txt': 'half' } }, { write: { broken: 'x' } }],
          [{ delete: ['broken'] }, { append: { 'half.txt': ' and the other' } }],
        ],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.orchestrate('retry', 'a', '--agent', 'codex');
  await run.reaches('a', 'verified');
  const [first, second] = world.starts('a');
  expect([first?.client, second?.client]).toEqual(['claude', 'codex']);
  expect(second?.resumed).toBeUndefined();
  expect(second?.cwd).toBe(first?.cwd);
  expect(world.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half and the other');
});

test('what is verified can be worked on again, and stays verified if nothing comes of it', async () => {
  const world = laneWorld({
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
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'verified');
  const { head_sha: proved } = run.lane('a');
  const again = async (): Promise<void> => {
    const n = world.starts('a').length + 1;
    await run.orchestrate('retry', 'a');
    await world.until(`start ${n}`, () => world.starts('a').length === n);
    await run.settled();
  };
  await again();
  expect(run.lane('a')).toMatchObject({ state: 'verified', head_sha: proved });
  expect(run.lane('a').attempt?.end_detail).toMatch(/^no_change/);
  await again();
  expect(run.lane('a').state).toBe('failed');
  expect(run.lane('a').head_sha).not.toBe(proved);
});

test('what a person mends in the tree of a lane is judged without a worker', async () => {
  const world = laneWorld({
    scenario: { lanes: { a: [[{ write: { broken: 'x', 'a.txt': 'a' } }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  const { json } = await run.orchestrate('lane', 'open', 'a');
  world.box.git(json.worktree, 'rm', '--quiet', 'broken');
  await run.orchestrate('pause');
  await run.orchestrate('verify', 'a');
  expect(run.lane('a').state).toBe('verified');
  expect(world.starts('a')).toHaveLength(1);
  expect(world.git('ls-tree', '--name-only', run.lane('a').head_sha ?? '')).toContain('a.txt');
});

test('a lane that nobody has started can be done by hand', async () => {
  const world = laneWorld();
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  const { json } = await run.orchestrate('lane', 'open', 'a');
  world.box.write(join(json.worktree, 'mine.txt'), 'mine');
  await run.orchestrate('verify', 'a');
  expect(run.lane('a').state).toBe('verified');
  expect(world.git('show', `${run.lane('a').head_sha}:mine.txt`)).toBe('mine');
  expect(world.starts()).toEqual([]);
});

test('a lane that is blocked does not start until it is let', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [[{ raise: 'works' }, { waitFor: 'go' }, { write: { 'a.txt': 'a' } }]],
        b: [[{ write: { 'b.txt': 'b' } }]],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.spawn();
  await world.until('a to work', () => world.isRaised('works'));
  await run.orchestrate('lane', 'block', 'b', '--reason', 'the design is not settled');
  world.raise('go');
  await run.reaches('a', 'verified');
  await run.tick();
  expect(run.lane('b')).toMatchObject({ state: 'blocked', blocked: 'the design is not settled' });
  expect(world.starts('b')).toEqual([]);
  await run.orchestrate('lane', 'block', 'b', '--clear');
  await run.tick();
  await run.reaches('b', 'verified');
});

test('a tree that somebody else made is judged like every other, and left where it is', async () => {
  const world = laneWorld();
  const spike = join(world.box.root, 'spike');
  world.git('worktree', 'add', '--quiet', '-b', 'spike', spike);
  world.box.write(join(spike, 'spike.txt'), 'mine');
  const run = laneRun(world);
  await run.init();
  const adopt = (key: string, folder: string) =>
    world.lanehold(
      ...['orchestrate', 'lane', 'adopt', key, '--worktree', folder, '--desc', 'Spike'],
      ...['--validate', 'sh check.sh', '--agent', 'claude-code'],
    );
  expect(await adopt('spike', spike)).toMatchObject({ exitCode: 0 });
  await run.orchestrate('verify', 'spike');
  expect(run.lane('spike')).toMatchObject({ state: 'verified', branch: 'spike', worktree: spike });
  expect(world.box.git(spike, 'show', 'spike:spike.txt')).toBe('mine');

  const own = await adopt('own', world.repo);
  expect(own.exitCode).toBe(2);
  expect(own.stderr).toContain('the main checkout cannot be a lane');
  const other = join(world.box.root, 'other');
  world.box.git(world.box.root, 'init', '--quiet', other);
  expect((await adopt('other', other)).stderr).toContain('no worktree of this repository');
  world.box.git(spike, 'switch', '--quiet', '--detach');
  expect((await adopt('loose', spike)).stderr).toMatch(/no branch is checked out|is lane/);
});

test('a lane that asks waits for the answer, unless somebody lets it go on without', async () => {
  const asks = (word: string) => [
    { write: { [`${word}.txt`]: word } },
    { lanehold: ['orchestrate', 'ask', 'Which colour?'] },
    { write: { broken: 'x' } },
  ];
  const goesOn = [{ delete: ['broken'] }];
  const world = laneWorld({
    scenario: { lanes: { a: [asks('a'), goesOn], b: [asks('b'), goesOn] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn();
  await run.reaches('a', 'asks');
  await run.reaches('b', 'asks');
  await run.tick();
  expect(world.starts()).toHaveLength(2);
  await run.orchestrate('answer', 'a', 'Green, like the others');
  await run.reaches('a', 'verified');
  const second = world.starts('a')[1];
  expect(readFileSync(second?.prompt ?? '', 'utf8')).toContain('Green, like the others');
  expect(second?.resumed).toBe(world.starts('a')[0]?.session);
  await run.orchestrate('retry', 'b');
  await run.reaches('b', 'verified');
});
