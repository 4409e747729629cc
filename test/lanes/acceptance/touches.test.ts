/** C5: what a lane may write is declared, and looked at by lanehold, whatever the agent's hooks say. */
import { expect, test } from 'vitest';
import { rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('C5: a file outside of its touches rejects the lane; widened, it is verified without a worker', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { 'src/a.txt': 'a', 'other/b.txt': 'b' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.spawn();
  await run.settled();
  expect(run.lane('a').attempt).toMatchObject({ end_reason: 'rejected' });
  expect(run.lane('a').attempt).toMatchObject({ end_cause: 'scope', end_detail: 'other/b.txt' });
  await run.orchestrate('lane', 'widen', 'a', '--touches', 'other/**');
  await run.orchestrate('verify', 'a');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(project.starts('a')).toHaveLength(1);
});

test('C5: lanes that touch the same files never run at once', async () => {
  const work = [{ waitFor: 'go' }, { sleep: 100 }];
  const project = laneProject({
    scenario: {
      lanes: {
        a: [[{ write: { 'src/a.txt': 'a' } }, ...work]],
        b: [[{ write: { 'src/b.txt': 'b' } }, ...work]],
        c: [[{ write: { 'doc/c.txt': 'c' } }, ...work]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['src/*.txt'] });
  await run.add('c', { touches: ['doc/**'] });
  await run.spawn();
  await project.until('two at work', () => project.starts().length === 2);
  await run.reconcile();
  expect(
    project
      .starts()
      .map(({ lane }) => lane)
      .toSorted(),
  ).toEqual(['a', 'c']);
  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified', c: 'verified' });
  const [first, second] = [project.starts('a')[0], project.starts('b')[0]];
  const end = project.journal().find((it) => it.event === 'end' && it.lane === 'a');
  expect(second?.at).toBeGreaterThanOrEqual(end?.at ?? Number.POSITIVE_INFINITY);
  expect(first?.head).not.toBeNull();
});

test('C5: lanes that may overlap run at once', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [[{ write: { 'src/a.txt': 'a' } }, { waitFor: 'go' }]],
        b: [[{ write: { 'src/b.txt': 'b' } }, { waitFor: 'go' }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['src/**'], more: ['--overlap'] });
  await run.spawn();
  await project.until('both at work', () => project.starts().length === 2);
  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
});

test('C5: who writes into the main checkout stops the run; nothing there is put back', async () => {
  const project = laneProject();
  const file = `${project.repo}/src/core.txt`;
  project.setScenario({
    lanes: { a: [[{ write: { 'a.txt': 'a', [file]: 'from a lane\n' } }, { waitFor: 'go' }]] },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the worker', () => project.starts('a').length === 1);
  project.raise('go');
  await run.settled();
  expect(rows(project, 'SELECT intent FROM runs')).toEqual([{ intent: 'paused' }]);
  expect(project.git('diff', '--name-only')).toBe('src/core.txt');
  const refs = project.git('for-each-ref', '--format=%(refname)', 'refs/lanehold');
  const saved = refs.split('\n').find((ref) => {
    const names = project.git('ls-tree', '-r', '--name-only', ref);
    return (
      names.includes('core.txt') && project.git('show', `${ref}:src/core.txt`) === 'from a lane'
    );
  });
  expect(saved, refs).toBeDefined();
});

test('C5: a lane says which one at work touches the same files', async () => {
  const project = laneProject({
    scenario: { lanes: { '*': [[{ write: { 'src/a.txt': 'a' } }, { waitFor: 'go' }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['src/*.txt'] });
  await run.spawn('a');
  await project.until('a to work', () => project.starts('a').length === 1);
  const waits = { b: 'it touches what a touches' };
  expect((await run.orchestrate('spawn', 'b')).json.waiting).toEqual(waits);
  expect((await run.reconcile()).json.waiting).toEqual(waits);
  const { lanes } = (await project.orchestrate('status', '--json')).json;
  expect(lanes[1]).toMatchObject({ state: 'ready', note: 'touches what a touches' });
  expect(project.starts('b')).toEqual([]);
});
