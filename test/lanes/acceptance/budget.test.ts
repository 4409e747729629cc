/** C9: what may be spent is reserved before a worker starts and watched while it runs. */
import { expect, test } from 'vitest';
import { laneFacts, rows } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { strike } from '../../support/lane-victims.ts';
import { laneWorld } from '../../support/lanes.ts';

const spending = [
  { daemon: { name: 'stray', how: 'setsid' } },
  { repeat: { times: 2000, steps: [{ usage: { input: 900, output: 100 } }, { sleep: 50 }] } },
] as const;

test('C9: a lane that passes its cap is stopped with all that it started, and its work is kept', async () => {
  const world = laneWorld({
    files: { 'lanehold.json': JSON.stringify({ lanes: { budget: { tokens: 10_000 } } }) },
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }, ...spending]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.lane('a')).toMatchObject({ attempt: { end_reason: 'parked' } });
  expect(run.lane('a').attempt?.end_detail).toMatch(/^budget/);
  expect(world.processesLeft()).toEqual([]);
  const used = run.lane('a').attempt?.usage?.tokens ?? 0;
  expect(used).toBeGreaterThan(10_000);
  expect(used).toBeLessThan(60_000);
  await run.tick();
  expect(world.starts('a')).toHaveLength(1);
}, 60_000);

test('C9: what the run can pay for is started, the rest refused before it starts', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const world = laneWorld({
    files: {
      'lanehold.json': JSON.stringify({
        lanes: { budget: { tokens: 10_000 }, runBudget: { tokens: 25_000 } },
      }),
    },
    scenario: {
      lanes: Object.fromEntries(
        keys.map((key) => [
          key,
          [[{ write: { [`${key}.txt`]: key } }, { usage: { input: 9_000 } }]],
        ]),
      ),
    },
  });
  const run = laneRun(world);
  await run.init();
  for (const key of keys) await run.add(key);
  await run.spawn();
  await run.settled();
  const states = Object.values(run.states());
  expect(states.filter((state) => state === 'verified')).toHaveLength(2);
  expect(states.filter((state) => state === 'blocked')).toHaveLength(3);
  expect(world.starts()).toHaveLength(2);
}, 90_000);

test('C9: what nobody settled counts as spent', async () => {
  const world = laneWorld({
    files: {
      'lanehold.json': JSON.stringify({ lanes: { budget: { tokens: 10_000 }, attempts: 1 } }),
    },
    scenario: { lanes: { a: [[{ raise: 'half' }, { hang: true }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await world.until('the worker', () => world.isRaised('half'));
  strike(world, 'a', ['supervisor', 'guard', 'worker']);
  expect(rows(world, 'SELECT reserved_tokens, settled FROM ledger')).toEqual([
    { reserved_tokens: 10_000, settled: 0 },
  ]);
  expect(laneFacts(world)).toHaveLength(1);
}, 60_000);
