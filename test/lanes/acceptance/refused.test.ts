/** A lane that was refused goes on from the tip, with real supervisors and stand-ins for agents. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Scenario } from '../../support/fake-worker.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const writes = (word: string) => [{ write: { 'src/core.txt': `${word}\n` } }];

/** The first of the lanes is integrated, the others conflict with it. */
async function conflicting(lanes: Readonly<Record<string, readonly (readonly object[])[]>>) {
  const project = laneProject({ scenario: { lanes } as Scenario });
  const run = laneRun(project);
  await run.init();
  const [first = '', ...others] = Object.keys(lanes);
  for (const key of [first, ...others]) await run.add(key);
  await run.spawn();
  await run.settled();
  await project.orchestrate('integrate');
  const conflicts = Object.fromEntries(others.map((key) => [key, 'conflict']));
  expect(run.states()).toEqual({ [first]: 'integrated', ...conflicts });
  const prompt = (key: string, n: number) =>
    readFileSync(project.starts(key)[n]?.prompt ?? '', 'utf8');
  return { project, run, prompt };
}

test('a retry has the merge in its worktree, and markers that are left are no work', async () => {
  const { project, run, prompt } = await conflicting({
    a: [writes('red')],
    b: [writes('blue'), [{ write: { 'note.txt': 'later\n' } }], writes('purple')],
  });
  const refused = run.lane('b').head_sha ?? '';
  const tip = project.git(
    ...['for-each-ref', '--format=%(objectname)', 'refs/lanehold/*/integration'],
  );
  await run.orchestrate('retry', 'b');
  await run.settled();
  expect(prompt('b', 1)).toContain('The merge is in your worktree: replace markers that are left');
  expect(run.lane('b').attempt?.end_detail).toBe('markers of the merge are left in src/core.txt');
  await run.orchestrate('retry', 'b');
  await run.reaches('b', 'verified');
  const head = run.lane('b').head_sha ?? '';
  expect(project.git('show', `${head}:src/core.txt`)).toBe('purple');
  const merge = ['rev-list', '--first-parent', '--merges', '--parents', '-1', head];
  const [, ...parents] = project.git(...merge).split(' ');
  expect(parents).toEqual([refused, tip]);
  expect(run.lane('b').base_sha).toBe(tip);
  await run.orchestrate('integrate');
  expect(run.states()).toEqual({ a: 'integrated', b: 'integrated' });
});

test('a lane that conflicts again after it was mended asks, and is mended with the answer', async () => {
  const { project, run, prompt } = await conflicting({
    a: [writes('red')],
    b: [writes('blue'), writes('green')],
    c: [writes('pink'), writes('teal'), writes('white')],
  });
  await run.orchestrate('retry', 'b');
  await run.orchestrate('retry', 'c');
  await run.settled();
  const again = await project.lanehold('orchestrate', 'integrate');
  expect(again.stdout).toContain("hint: `lanehold orchestrate answer c 'ANSWER'");
  expect(run.states()).toEqual({ a: 'integrated', b: 'integrated', c: 'asks' });
  await run.orchestrate('answer', 'c', 'White, as all of them are one');
  await run.reaches('c', 'verified');
  expect(prompt('c', 2)).toContain('White, as all of them are one');
  expect(prompt('c', 2)).toContain('It conflicts with b in src/core.txt');
  await run.orchestrate('integrate');
  expect(run.states()).toEqual({ a: 'integrated', b: 'integrated', c: 'integrated' });
});

test('what was changed in the tree by hand is committed before the tip is merged', async () => {
  const { project, run } = await conflicting({
    a: [writes('red')],
    b: [writes('blue'), writes('purple')],
  });
  const tree = run.lane('b').worktree ?? '';
  project.box.write(`${tree}/by-hand.txt`, 'by hand\n');
  project.box.write(`${tree}/.env`, 'KEY=1\n');
  await run.orchestrate('retry', 'b');
  await run.reaches('b', 'verified');
  const head = run.lane('b').head_sha ?? '';
  expect(project.git('show', `${head}:by-hand.txt`)).toBe('by hand');
  expect(project.git('show', `${head}:src/core.txt`)).toBe('purple');
  const [merge = ''] = project.git('rev-list', '--first-parent', '--merges', head).split('\n');
  expect(project.git('show', `${merge}^1:by-hand.txt`)).toBe('by hand');
  expect(project.git('ls-tree', '-r', '--name-only', head)).not.toContain('.env');
  await run.orchestrate('integrate');
  expect(run.states()).toEqual({ a: 'integrated', b: 'integrated' });
});

test('a tip that cannot be merged into the tree is told of, and the worker starts all the same', async () => {
  const { project, run } = await conflicting({
    a: [writes('red')],
    b: [writes('blue'), writes('purple')],
  });
  const tree = run.lane('b').worktree ?? '';
  project.box.git(tree, 'switch', '-qc', 'elsewhere');
  await run.orchestrate('retry', 'b');
  await run.settled();
  const { json } = await project.orchestrate('status');
  const flags = json.lanes.find((it: { key: string }) => it.key === 'b').flags;
  expect(flags).toContainEqual(expect.objectContaining({ kind: 'tip-not-merged' }));
  expect(project.starts('b')).toHaveLength(2);
});
