/** C5: what a lane may write is declared, and looked at by lanehold, whatever the agent's hooks say. */
import { expect, test } from 'vitest';
import { rows, tamper } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { laneWorld } from '../../support/lanes.ts';

test('C5: a file outside of its touches rejects the lane; widened, it is verified without a worker', async () => {
  const world = laneWorld({
    scenario: { lanes: { a: [[{ write: { 'src/a.txt': 'a', 'other/b.txt': 'b' } }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.spawn();
  await run.settled();
  expect(run.lane('a').attempt).toMatchObject({ end_reason: 'rejected' });
  expect(run.lane('a').attempt?.end_detail).toMatch(/^scope.*other\/b\.txt/s);
  await run.orchestrate('lane', 'widen', 'a', '--touches', 'other/**');
  await run.orchestrate('verify', 'a');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(world.starts('a')).toHaveLength(1);
});

test('C5: lanes that touch the same files never run at once', async () => {
  const work = [{ waitFor: 'go' }, { sleep: 100 }];
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [[{ write: { 'src/a.txt': 'a' } }, ...work]],
        b: [[{ write: { 'src/b.txt': 'b' } }, ...work]],
        c: [[{ write: { 'doc/c.txt': 'c' } }, ...work]],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['src/*.txt'] });
  await run.add('c', { touches: ['doc/**'] });
  await run.spawn();
  await world.until('two at work', () => world.starts().length === 2);
  await run.tick();
  expect(
    world
      .starts()
      .map(({ lane }) => lane)
      .toSorted(),
  ).toEqual(['a', 'c']);
  world.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified', c: 'verified' });
  const [first, second] = [world.starts('a')[0], world.starts('b')[0]];
  const end = world.journal().find((it) => it.event === 'end' && it.lane === 'a');
  expect(second?.at).toBeGreaterThanOrEqual(end?.at ?? Number.POSITIVE_INFINITY);
  expect(first?.head).not.toBeNull();
});

test('C5: lanes that may overlap run at once', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [[{ write: { 'src/a.txt': 'a' } }, { waitFor: 'go' }]],
        b: [[{ write: { 'src/b.txt': 'b' } }, { waitFor: 'go' }]],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['src/**'], more: ['--overlap'] });
  await run.spawn();
  await world.until('both at work', () => world.starts().length === 2);
  world.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
});

test('C5: who writes into the main checkout stops the run; nothing there is put back', async () => {
  const world = laneWorld();
  const file = `${world.repo}/src/core.txt`;
  world.play({
    lanes: { a: [[{ write: { 'a.txt': 'a', [file]: 'from a lane\n' } }, { waitFor: 'go' }]] },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await world.until('the worker', () => world.starts('a').length === 1);
  world.raise('go');
  await run.settled();
  expect(rows(world, 'SELECT intent FROM runs')).toEqual([{ intent: 'paused' }]);
  expect(world.git('diff', '--name-only')).toBe('src/core.txt');
  const refs = world.git('for-each-ref', '--format=%(refname)', 'refs/lanehold');
  const saved = refs.split('\n').find((ref) => {
    const names = world.git('ls-tree', '-r', '--name-only', ref);
    return names.includes('core.txt') && world.git('show', `${ref}:src/core.txt`) === 'from a lane';
  });
  expect(saved, refs).toBeDefined();
});

test.each(['DELETE FROM claims', "UPDATE claims SET pattern = 'doc/**'", 'DROP TABLE claims'])(
  'C5: without its claims on record a lane does not start: %s',
  async (sql) => {
    const world = laneWorld({ scenario: { lanes: { '*': [[{ write: { 'src/a.txt': 'a' } }]] } } });
    const run = laneRun(world);
    await run.init();
    await run.add('a', { touches: ['src/**'] });
    tamper(world, sql);
    const { stdout, stderr } = await world.orchestrate('spawn', 'a');
    expect(`${stdout}${stderr}`).toMatch(/claims/);
    await run.tick();
    expect(world.starts()).toEqual([]);
    expect(rows(world, 'SELECT 1 FROM attempts')).toEqual([]);
  },
);

test('C5: lanes that overlap are kept apart by what they say, whatever is on record', async () => {
  const world = laneWorld({
    scenario: { lanes: { '*': [[{ write: { 'src/a.txt': 'a' } }, { waitFor: 'go' }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['src/*.txt'] });
  await run.spawn('a');
  await world.until('a to work', () => world.starts('a').length === 1);
  const waits = { b: 'it touches what a touches' };
  expect((await run.orchestrate('spawn', 'b')).json.waiting).toEqual(waits);
  tamper(world, 'DELETE FROM clashes');
  expect((await run.tick()).json.waiting).toEqual(waits);
  expect(world.starts('b')).toEqual([]);
});
