/** Nobody's work goes: not the user's, not a worker's, not what was written down. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { laneEvents, rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('a resumed worker stands in the tree of its lane, in its own session', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'half.txt': 'half' } }, { raise: 'half' }, { hang: true }],
          [{ write: { 'whole.txt': 'whole' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the first half', () => project.isRaised('half'));
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  await run.settled();
  const [first, second] = project.starts('a');
  expect(second?.cwd).toBe(run.lane('a').worktree);
  expect(second?.cwd).toBe(first?.cwd);
  expect(second?.resumed).toBe(first?.session);
  expect(run.lane('a').state).toBe('verified');
  expect(project.git('status', '--porcelain')).toBe('');
});

test('a stash of a worker is told of, and the one of the user is where it was', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { write: { 'kept.txt': 'kept' } },
            { git: ['add', 'kept.txt'] },
            { git: ['stash', 'push', '--message', 'by the worker'] },
            { write: { 'seen.txt': 'seen' } },
          ],
        ],
      },
    },
  });
  project.box.write(`${project.repo}/src/core.txt`, 'of the user\n');
  project.git('stash', 'push', '--message', 'by the user');
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { flags: ['stashed'] } });
  expect(project.git('stash', 'list', '--format=%gs').split('\n')).toEqual([
    expect.stringContaining('by the worker'),
    expect.stringContaining('by the user'),
  ]);
});

test.each([
  ['branch', (project: ReturnType<typeof laneProject>) => project.git('branch', 'lanehold/try/a')],
  [
    'folder',
    (project: ReturnType<typeof laneProject>, path: string) =>
      project.box.write(`${path}/mine`, 'mine'),
  ],
] as const)('a %s of somebody else where the lane would be is left alone', async (_, arrange) => {
  const project = laneProject({ scenario: { lanes: { '*': [[{ write: { 'a.txt': 'a' } }]] } } });
  const run = laneRun(project);
  await run.init('Try', '--name', 'try');
  await run.add('probe');
  await run.spawn('probe');
  await run.reaches('probe', 'verified');
  const path = (run.lane('probe').worktree ?? '').replace(/probe$/, 'a');
  arrange(project, path);
  const traces = () => [
    project.git('for-each-ref', 'refs/heads/lanehold/try/a'),
    execFileSync('sh', ['-c', 'ls -A "$0" 2>/dev/null || true', path], { encoding: 'utf8' }),
  ];
  const before = traces();
  await run.add('a');
  await run.spawn('a');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: 'crashed' } });
  expect(run.lane('a').attempt?.end_detail).toMatch(/lanehold\/try\/a|\/a\b/);
  expect(traces()).toEqual(before);
  expect(project.starts('a')).toEqual([]);
});

test('a lane that is added again keeps its description, and every edit keeps the one before', async () => {
  const project = laneProject();
  const run = laneRun(project);
  await run.init();
  await run.add('a', { more: ['--notes', 'first'] });
  const again = await project.orchestrate(
    'lane',
    'add',
    'a',
    '--desc',
    'Other',
    '--validate',
    'true',
  );
  expect(again.exitCode).toBe(2);
  expect(`${again.stdout}${again.stderr}`).toMatch(/there is a lane `a` already[\s\S]*lane edit a/);
  await run.orchestrate('lane', 'edit', 'a', '--notes', 'second');
  const revisions = rows(project, 'SELECT spec FROM lane_specs ORDER BY rev').map(
    ({ spec }) => JSON.parse(String(spec)) as { desc: string; notes: string },
  );
  expect(revisions.map(({ desc, notes }) => [desc, notes])).toEqual([
    ['Work on a', 'first'],
    ['Work on a', 'second'],
  ]);
});

test('a run that is begun again leaves the first one as it is', async () => {
  const project = laneProject();
  const run = laneRun(project);
  await run.init('Move it');
  await run.add('a');
  const before = laneEvents(project);
  const named = await project.orchestrate('init', 'Other', '--name', 'move-it');
  expect(named.exitCode).toBe(2);
  await run.init('Move it');
  expect(rows(project, 'SELECT name, goal FROM runs ORDER BY created_at')).toEqual([
    { name: 'move-it', goal: 'Move it' },
    { name: 'move-it-2', goal: 'Move it' },
  ]);
  expect(laneEvents(project).slice(0, before.length)).toEqual(before);
  expect(rows(project, 'SELECT key FROM lanes')).toEqual([{ key: 'a' }]);
});
