/** What cannot be is refused before anything is made, with the way out. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { laneFacts, rows } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { type LaneWorld, laneWorld } from '../../support/lanes.ts';
import { type Ran, runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const TASK = ['--desc', 'Work', '--agent', 'claude-code', '--validate', 'true'] as const;
const USAGE = 2;

const said = ({ stdout, stderr }: Ran): string => `${stdout}${stderr}`;

/** Runs `lanehold orchestrate …` in any folder, as a person would. */
const inside = (world: LaneWorld, cwd: string, ...words: readonly string[]): Promise<Ran> =>
  runNode(CLI_PROGRAM, ['orchestrate', ...words], { cwd, env: world.env });

async function begun(): Promise<LaneWorld> {
  const world = laneWorld();
  await laneRun(world).init('Try', '--name', 'try');
  return world;
}

test('names that would leave their folder, or that git does not take, name nothing', async () => {
  const world = await begun();
  const names = [
    ...['..', '../x', 'a/b', '/etc', '.hidden', 'a..b', 'x.lock', 'x.', '', ' ', 'Api', 'é'],
    ...['a b', 'a\nb', '$(touch pwned)', '🦜', 'a'.repeat(65), 'integration', 'a\\b', 'a:b'],
  ];
  for (const name of names) {
    const lane = await world.lanehold('orchestrate', 'lane', 'add', name, ...TASK);
    expect([name, lane.exitCode]).toEqual([name, USAGE]);
    expect(said(lane)).toMatch(/cannot name a lane|no lane can be named/);
  }
  const run = await world.lanehold('orchestrate', 'init', 'Other', '--name', '../out');
  expect(run.exitCode).toBe(USAGE);
  expect(laneFacts(world)).toEqual([]);
  expect(rows(world, 'SELECT name FROM runs')).toEqual([{ name: 'try' }]);
  expect(existsSync(join(world.env.LANEHOLD_HOME ?? '', 'worktrees'))).toBe(false);
});

test.each([
  ['a need that is no lane', [...TASK, '--needs', 'nobody'], /needs `nobody`, which is no lane/],
  ['a need of itself', [...TASK, '--needs', 'new'], /`new`, which is no lane|in a circle/],
  ['no validation', ['--desc', 'Work', '--agent', 'claude-code'], /needs a validation/],
  ['an empty validation', [...TASK, '--validate', '  '], /needs a validation/],
  ['no description', ['--agent', 'claude-code', '--validate', 'true'], /needs a description/],
  ['an agent that nobody knows', [...TASK, '--agent', 'claud-code'], /did you mean `claude-code`/],
  ['a folder outside', [...TASK, '--validate-cwd', '../..'], /no folder of the repository/],
  ['an absolute folder', [...TASK, '--validate-cwd', '/etc'], /no folder of the repository/],
  ['files outside', [...TASK, '--touches', '../**'], /no glob of the repository/],
  ['files anywhere', [...TASK, '--reads', '/etc/**'], /no glob of the repository/],
  ['a cap that is no number', [...TASK, '--tokens', 'many'], /many/],
  ['a cap of nothing', [...TASK, '--usd', '0'], /no amount/],
  ['a time that is none', [...TASK, '--timeout', 'soon'], /soon/],
  ['a priority that is none', [...TASK, '--priority', 'high'], /no priority/],
] as const)('a lane with %s is not added', async (_, words, why) => {
  const world = await begun();
  const ran = await world.lanehold('orchestrate', 'lane', 'add', 'new', ...words);
  expect(ran.exitCode).not.toBe(0);
  expect(said(ran)).toMatch(why);
  expect(laneFacts(world)).toEqual([]);
});

test.each([
  ['--run-usd', 'lots'],
  ['--run-usd', '-5'],
  ['--run-usd', '0'],
  ['--run-tokens', 'lots'],
  ['--run-tokens', '-1'],
  ['--run-turns', '1.5'],
  ['--run-time', 'soon'],
  ['--parallel', '0'],
  ['--parallel', 'all'],
  ['--attempts', '-1'],
])('a run with %s %s is not begun', async (option, value) => {
  const world = laneWorld();
  const ran = await world.lanehold('orchestrate', 'init', 'Try', `${option}=${value}`);
  expect(ran.exitCode).toBe(USAGE);
  expect(said(ran)).toContain(value);
  expect(rows(world, 'SELECT 1 FROM runs')).toEqual([]);
});

test('an agent that is not installed is refused with those that are', async () => {
  const world = await begun();
  const words = ['--desc', 'Work', '--validate', 'true', '--agent', 'cursor'];
  const ran = await world.lanehold('orchestrate', 'lane', 'add', 'new', ...words);
  expect(ran.exitCode).not.toBe(0);
  expect(said(ran)).toMatch(/is not on PATH[\s\S]*installed: claude-code, codex/);
  expect(laneFacts(world)).toEqual([]);
});

test('lanes that would need each other in a circle stay as they were', async () => {
  const world = await begun();
  const run = laneRun(world);
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.add('c', { needs: ['b'] });
  const ran = await world.lanehold('orchestrate', 'lane', 'edit', 'a', '--needs', 'c');
  expect(ran.exitCode).toBe(USAGE);
  expect(said(ran)).toContain('lanes need each other in a circle: a → c → b → a');
  expect(rows(world, 'SELECT count(*) AS n FROM lane_deps')).toEqual([{ n: 2 }]);
  expect(rows(world, "SELECT spec_rev FROM lanes WHERE key = 'a'")).toEqual([{ spec_rev: 1 }]);
});

test('a run needs a repository with a commit, and a branch to land on', async () => {
  const world = laneWorld();
  const { box } = world;
  const plain = join(box.root, 'plain');
  const empty = join(box.root, 'empty');
  for (const folder of [plain, empty]) mkdirSync(folder);
  box.git(empty, 'init', '--quiet');
  const init = (cwd: string, ...words: readonly string[]) =>
    inside(world, cwd, 'init', 'Try', ...words);

  const nowhere = await init(plain);
  expect(nowhere.exitCode).not.toBe(0);
  expect(said(nowhere)).toMatch(/lanes need a git repository[\s\S]*git init/);

  const unborn = await init(empty);
  expect(unborn.exitCode).not.toBe(0);
  expect(said(unborn)).toMatch(/no commit/);

  world.git('switch', '--quiet', '--detach');
  const detached = await init(world.repo);
  expect(detached.exitCode).toBe(USAGE);
  expect(said(detached)).toMatch(/no branch is checked out[\s\S]*--target/);
  const strange = await init(world.repo, '--target', 'nowhere');
  expect(strange.exitCode).toBe(USAGE);
  expect(said(strange)).toContain('there is no branch `nowhere`');
  const base = await init(world.repo, '--target', 'main', '--base', 'nothing');
  expect(base.exitCode).not.toBe(0);
  expect(said(base)).toContain('nothing');
  const goal = await inside(world, world.repo, 'init', '  ', '--target', 'main');
  expect(goal.exitCode).toBe(USAGE);
  expect(rows(world, 'SELECT 1 FROM runs')).toEqual([]);

  expect(await init(world.repo, '--target', 'main')).toMatchObject({ exitCode: 0 });
});

test('a bare repository has lanes like any other', async () => {
  const world = laneWorld({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
  const bare = join(world.box.root, 'bare.git');
  world.git('clone', '--quiet', '--bare', world.repo, bare);
  const words = [
    ['init', 'Try'],
    ['lane', 'add', 'a', ...TASK],
    ['spawn', 'a', '--wait'],
  ];
  for (const it of words) expect(await inside(world, bare, ...it)).toMatchObject({ exitCode: 0 });
  const [lane] = laneFacts(world);
  expect(lane?.state).toBe('verified');
  expect(world.box.git(bare, 'show', `${lane?.head_sha}:a.txt`)).toBe('a');
});

test('what is not there is named, with what is', async () => {
  const world = laneWorld();
  const none = await world.lanehold('orchestrate', 'spawn', 'api');
  expect(none.exitCode).toBe(USAGE);
  expect(said(none)).toMatch(/no open run[\s\S]*orchestrate init/);
  const run = laneRun(world);
  await run.init('First', '--name', 'first');
  await run.add('billing');
  const near = await world.lanehold('orchestrate', 'spawn', 'biling');
  expect(near.exitCode).toBe(USAGE);
  expect(said(near)).toContain('did you mean `billing`?');
  expect(said(await world.lanehold('orchestrate', 'spawn'))).toContain('no lane was named');
  await run.init('Second', '--name', 'second');
  const which = await world.lanehold('orchestrate', 'spawn', 'billing');
  expect(which.exitCode).toBe(USAGE);
  expect(said(which)).toMatch(/several open runs[\s\S]*first, second|second, first/);
});

interface Foreign {
  readonly world: LaneWorld;
  readonly path: string;
}

test.each<[string, (it: Foreign) => void]>([
  [
    'a repository of its own',
    ({ world, path }) => {
      mkdirSync(path, { recursive: true });
      world.box.git(path, 'init', '--quiet');
    },
  ],
  [
    'a link in the way to it',
    ({ world, path }) => {
      const elsewhere = join(world.box.root, 'elsewhere');
      mkdirSync(elsewhere);
      mkdirSync(dirname(dirname(path)), { recursive: true });
      symlinkSync(elsewhere, dirname(path));
    },
  ],
  [
    'a link in its place',
    ({ world, path }) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(world.repo, path);
    },
  ],
])('a lane whose place holds %s does not start, and what is there stays', async (_, arrange) => {
  const world = laneWorld({ scenario: { lanes: { '*': [[{ write: { 'a.txt': 'a' } }]] } } });
  const run = laneRun(world);
  await run.init('Probe', '--name', 'probe');
  await run.add('a');
  await run.spawn('a');
  await run.reaches('a', 'verified');
  const path = join((run.lane('a').worktree ?? '').replace(/probe\/a$/, 'try'), 'b');
  arrange({ world, path });
  const before = traces(world);
  await run.init('Try', '--name', 'try');
  await run.orchestrate('lane', 'add', 'b', ...TASK, '--run', 'try');
  const spawned = await world.orchestrate('spawn', 'b', '--run', 'try', '--wait');
  expect(spawned).toMatchObject({ exitCode: 1, json: { notDone: [{ key: 'b' }] } });
  expect(run.lane('b')).toMatchObject({ state: 'failed', attempt: { end_reason: 'crashed' } });
  expect(run.lane('b').attempt?.end_detail).toContain(dirname(path));
  expect(world.starts('b')).toEqual([]);
  expect(traces(world)).toEqual(before);
});

/** What must be the same before and after: the repository, and whatever lies elsewhere. */
function traces(world: LaneWorld): unknown {
  const elsewhere = join(world.box.root, 'elsewhere');
  return [
    world.git('status', '--porcelain'),
    world.git('for-each-ref', 'refs/heads/lanehold/try'),
    execFileSync('git', ['worktree', 'list'], { cwd: world.repo, env: world.box.env }).toString(),
    existsSync(elsewhere) ? readdirSync(elsewhere) : [],
  ];
}
