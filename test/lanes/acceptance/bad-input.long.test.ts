/** What cannot be is refused before anything is made, with the way out. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { laneFacts, rows } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { type Ran, runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const TASK = ['--desc', 'Work', '--agent', 'claude-code', '--validate', 'true'] as const;
const USAGE = 2;

const said = ({ stdout, stderr }: Ran): string => `${stdout}${stderr}`;

/** Runs `lanehold orchestrate …` in any folder, as a person would. */
const inside = (project: LaneProject, cwd: string, ...words: readonly string[]): Promise<Ran> =>
  runNode(CLI_PROGRAM, ['orchestrate', ...words], { cwd, env: project.env });

async function begun(): Promise<LaneProject> {
  const project = laneProject();
  await laneRun(project).init('Try', '--name', 'try');
  return project;
}

test('names that would leave their folder, or that git does not take, name nothing', async () => {
  const project = await begun();
  const names = [
    ...['..', '../x', 'a/b', '/etc', '.hidden', 'a..b', 'x.lock', 'x.', '', ' ', 'Api', 'é'],
    ...['a b', 'a\nb', '$(touch pwned)', '🦜', 'a'.repeat(65), 'integration', 'a\\b', 'a:b'],
  ];
  for (const name of names) {
    const lane = await project.lanehold('orchestrate', 'lane', 'add', name, ...TASK);
    expect([name, lane.exitCode]).toEqual([name, USAGE]);
    expect(said(lane)).toMatch(/cannot name a lane|no lane can be named/);
  }
  const run = await project.lanehold('orchestrate', 'init', 'Other', '--name', '../out');
  expect(run.exitCode).toBe(USAGE);
  expect(laneFacts(project)).toEqual([]);
  expect(rows(project, 'SELECT name FROM runs')).toEqual([{ name: 'try' }]);
  expect(existsSync(join(project.env.LANEHOLD_HOME ?? '', 'worktrees'))).toBe(false);
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
  ['globs in one word', [...TASK, '--touches', 'src/**,test/**'], /several globs in one/],
  ['files anywhere', [...TASK, '--reads', '/etc/**'], /no glob of the repository/],
  ['a cap that is no number', [...TASK, '--tokens', 'many'], /many/],
  ['a cap of nothing', [...TASK, '--usd', '0'], /no amount/],
  ['a time that is none', [...TASK, '--timeout', 'soon'], /soon/],
  ['a priority that is none', [...TASK, '--priority', 'high'], /no priority/],
] as const)('a lane with %s is not added', async (_, words, why) => {
  const project = await begun();
  const ran = await project.lanehold('orchestrate', 'lane', 'add', 'new', ...words);
  expect(ran.exitCode).not.toBe(0);
  expect(said(ran)).toMatch(why);
  expect(laneFacts(project)).toEqual([]);
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
  const project = laneProject();
  const ran = await project.lanehold('orchestrate', 'init', 'Try', `${option}=${value}`);
  expect(ran.exitCode).toBe(USAGE);
  expect(said(ran)).toContain(value);
  expect(rows(project, 'SELECT 1 FROM runs')).toEqual([]);
});

test('an agent that is not installed is refused with those that are', async () => {
  const project = await begun();
  const words = ['--desc', 'Work', '--validate', 'true', '--agent', 'cursor'];
  const ran = await project.lanehold('orchestrate', 'lane', 'add', 'new', ...words);
  expect(ran.exitCode).not.toBe(0);
  expect(said(ran)).toMatch(/is not on PATH[\s\S]*there are: claude-code, codex/);
  expect(laneFacts(project)).toEqual([]);
});

test('lanes that would need each other in a circle stay as they were', async () => {
  const project = await begun();
  const run = laneRun(project);
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.add('c', { needs: ['b'] });
  const ran = await project.lanehold('orchestrate', 'lane', 'edit', 'a', '--needs', 'c');
  expect(ran.exitCode).toBe(USAGE);
  expect(said(ran)).toContain('lanes need each other in a circle: a → c → b → a');
  expect(rows(project, 'SELECT count(*) AS n FROM lane_deps')).toEqual([{ n: 2 }]);
  expect(rows(project, "SELECT spec_rev FROM lanes WHERE key = 'a'")).toEqual([{ spec_rev: 1 }]);
});

test('a run needs a repository with a commit, and a branch to land on', async () => {
  const project = laneProject();
  const { box } = project;
  const plain = join(box.root, 'plain');
  const empty = join(box.root, 'empty');
  for (const folder of [plain, empty]) mkdirSync(folder);
  box.git(empty, 'init', '--quiet');
  const init = (cwd: string, ...words: readonly string[]) =>
    inside(project, cwd, 'init', 'Try', ...words);

  const nowhere = await init(plain);
  expect(nowhere.exitCode).not.toBe(0);
  expect(said(nowhere)).toMatch(/lanes need a git repository[\s\S]*git init/);

  const unborn = await init(empty);
  expect(unborn.exitCode).not.toBe(0);
  expect(said(unborn)).toMatch(/no commit/);

  project.git('switch', '--quiet', '--detach');
  const detached = await init(project.repo);
  expect(detached.exitCode).toBe(USAGE);
  expect(said(detached)).toMatch(/no branch is checked out[\s\S]*--target/);
  const strange = await init(project.repo, '--target', 'nowhere');
  expect(strange.exitCode).toBe(USAGE);
  expect(said(strange)).toContain('there is no branch `nowhere`');
  const commit = await init(project.repo, '--target', 'main^0');
  expect(said(commit)).toContain('there is no branch `main^0`');
  const base = await init(project.repo, '--target', 'main', '--base', 'nothing');
  expect(base.exitCode).not.toBe(0);
  expect(said(base)).toContain('nothing');
  const goal = await inside(project, project.repo, 'init', '  ', '--target', 'main');
  expect(goal.exitCode).toBe(USAGE);
  expect(rows(project, 'SELECT 1 FROM runs')).toEqual([]);

  expect(await init(project.repo, '--target', 'main')).toMatchObject({ exitCode: 0 });
});

test('a bare repository has lanes like any other', async () => {
  const project = laneProject({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
  const bare = join(project.box.root, 'bare.git');
  project.git('clone', '--quiet', '--bare', project.repo, bare);
  const words = [
    ['init', 'Try'],
    ['lane', 'add', 'a', ...TASK],
    ['spawn', 'a', '--wait'],
  ];
  for (const it of words) expect(await inside(project, bare, ...it)).toMatchObject({ exitCode: 0 });
  const [lane] = laneFacts(project);
  expect(lane?.state).toBe('verified');
  expect(project.box.git(bare, 'show', `${lane?.head_sha}:a.txt`)).toBe('a');
});

test('what is not there is named, with what is', async () => {
  const project = laneProject();
  const none = await project.lanehold('orchestrate', 'spawn', 'api');
  expect(none.exitCode).toBe(USAGE);
  expect(said(none)).toMatch(/no open run[\s\S]*orchestrate init/);
  const run = laneRun(project);
  await run.init('First', '--name', 'first');
  await run.add('billing');
  const near = await project.lanehold('orchestrate', 'spawn', 'biling');
  expect(near.exitCode).toBe(USAGE);
  expect(said(near)).toContain('did you mean `billing`?');
  expect(said(await project.lanehold('orchestrate', 'spawn'))).toContain('no lane was named');
  await run.init('Second', '--name', 'second');
  const which = await project.lanehold('orchestrate', 'spawn', 'billing');
  expect(which.exitCode).toBe(USAGE);
  expect(said(which)).toMatch(/several open runs[\s\S]*first, second|second, first/);
});

interface Foreign {
  readonly project: LaneProject;
  readonly path: string;
}

test.each<[string, (it: Foreign) => void]>([
  [
    'a repository of its own',
    ({ project, path }) => {
      mkdirSync(path, { recursive: true });
      project.box.git(path, 'init', '--quiet');
    },
  ],
  [
    'a link in the way to it',
    ({ project, path }) => {
      const elsewhere = join(project.box.root, 'elsewhere');
      mkdirSync(elsewhere);
      mkdirSync(dirname(dirname(path)), { recursive: true });
      symlinkSync(elsewhere, dirname(path));
    },
  ],
  [
    'a link in its place',
    ({ project, path }) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(project.repo, path);
    },
  ],
])('a lane whose place holds %s does not start, and what is there stays', async (_, arrange) => {
  const project = laneProject({ scenario: { lanes: { '*': [[{ write: { 'a.txt': 'a' } }]] } } });
  const run = laneRun(project);
  await run.init('Probe', '--name', 'probe');
  await run.add('a');
  await run.spawn('a');
  await run.reaches('a', 'verified');
  const path = join((run.lane('a').worktree ?? '').replace(/probe\/a$/, 'try'), 'b');
  arrange({ project, path });
  const before = traces(project);
  await run.init('Try', '--name', 'try');
  await run.orchestrate('lane', 'add', 'b', ...TASK, '--run', 'try');
  const spawned = await project.orchestrate('spawn', 'b', '--run', 'try', '--wait');
  expect(spawned).toMatchObject({ exitCode: 1, json: { notDone: [{ key: 'b' }] } });
  expect(run.lane('b')).toMatchObject({ state: 'failed', attempt: { end_reason: 'crashed' } });
  expect(run.lane('b').attempt?.end_detail).toContain(dirname(path));
  expect(project.starts('b')).toEqual([]);
  expect(traces(project)).toEqual(before);
});

/** What must be the same before and after: the repository, and whatever lies elsewhere. */
function traces(project: LaneProject): unknown {
  const elsewhere = join(project.box.root, 'elsewhere');
  return [
    project.git('status', '--porcelain'),
    project.git('for-each-ref', 'refs/heads/lanehold/try'),
    execFileSync('git', ['worktree', 'list'], {
      cwd: project.repo,
      env: project.box.env,
    }).toString(),
    existsSync(elsewhere) ? readdirSync(elsewhere) : [],
  ];
}
