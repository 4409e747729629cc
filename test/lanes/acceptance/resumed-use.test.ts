/** C9: clients that resume a session go on counting; each attempt is charged for itself alone. */
import { expect, test } from 'vitest';
import type { Step } from '../../support/fake-worker.ts';
import { halfDone } from '../../support/half-done.ts';
import { rows } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { strike } from '../../support/lane-victims.ts';
import { type LaneWorld, laneWorld } from '../../support/lanes.ts';

/** With what the stand-ins take for their last word or for an edit, 1 220 tokens. */
const BREAKS: readonly Step[] = [
  { usage: { input: 1_000, output: 100 } },
  { write: { broken: 'x' } },
];
/** The same, 670 tokens. */
const MENDS: readonly Step[] = [{ usage: { input: 500, output: 50 } }, { delete: ['broken'] }];

async function broken(agent: 'codex' | 'claude-code', second: readonly Step[]) {
  const world = laneWorld({ scenario: { lanes: { a: [BREAKS, second, MENDS] } } });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { agent });
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.orchestrate('retry', 'a');
  return { world, run };
}

function ledger(world: LaneWorld) {
  return rows(
    world,
    `SELECT l.used_tokens AS tokens, l.used_usd AS usd FROM ledger AS l
       JOIN attempts AS a ON a.id = l.attempt_id ORDER BY a.n`,
  );
}

const tokens = (world: LaneWorld) => ledger(world).map((it) => it.tokens);

test.each(['codex', 'claude-code'] as const)(
  'C9: what a session of %s has used is counted once, however often it is resumed',
  async (agent) => {
    const { world, run } = await broken(agent, [
      { usage: { input: 500, output: 50 } },
      { write: { 'more.txt': 'x' } },
    ]);
    await run.reaches('a', 'failed');
    await run.settled();
    await run.orchestrate('retry', 'a');
    await run.reaches('a', 'verified');
    const [first, ...resumed] = world.starts('a');
    expect(resumed.map((it) => it.resumed)).toEqual([first?.session, first?.session]);
    expect(tokens(world)).toEqual([1_220, 670, 670]);
    expect(run.lane('a').attempts.map(({ usage }) => usage?.tokens)).toEqual([1_220, 670, 670]);
    const { json } = await run.orchestrate('status');
    expect(json.lanes[0].spent.tokens).toBe(2_560);
  },
  60_000,
);

test('C9: the price of a resumed session is counted once, too', async () => {
  const { world, run } = await broken('claude-code', MENDS);
  await run.reaches('a', 'verified');
  const [first, second] = ledger(world).map(({ usd }) => Number(usd));
  expect(first).toBeCloseTo(0.004, 6);
  expect(second).toBeCloseTo(0.004, 6);
}, 60_000);

test('C9: a supervisor that takes a resumed attempt over charges it the same', async () => {
  const { world, run } = await broken('codex', [
    { usage: { input: 500, output: 50 } },
    { raise: 'half' },
    { waitFor: 'go' },
    { delete: ['broken'] },
  ]);
  await world.until('half of the second attempt', () => world.isRaised('half'));
  await world.until('its supervisor', () => run.lane('a').attempt?.state === 'running');
  strike(world, 'a', ['supervisor']);
  world.raise('go');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { n: 2, epoch: 2 } });
  expect(world.starts('a')[1]?.resumed).toBe(world.starts('a')[0]?.session);
  expect(tokens(world)).toEqual([1_220, 670]);
}, 60_000);

test.each([
  // This client tells what it has used at its end only, and never forgets it.
  ['codex', [0, 1_100 + 120 + 120]],
  // This one tells it with each message, and forgets it with the run that was killed.
  ['claude-code', [1_100 + 120, 120]],
] as const)(
  'C9: what a killed run of %s has used is in the ledger once its session is resumed',
  async (agent, expected) => {
    const { world, run } = await halfDone({
      agent,
      work: [
        { usage: { input: 1_000, output: 100 } },
        ...(agent === 'codex' ? [{ say: 'Half of it.' }] : []),
        { write: { 'half.txt': 'half' } },
        { raise: 'half' },
        { waitFor: 'go' },
      ],
    });
    strike(world, 'a', ['supervisor', 'guard', 'worker']);
    await run.settled();
    expect(run.lane('a').state).toBe('verified');
    expect(world.starts('a')[1]?.resumed).toBe(world.starts('a')[0]?.session);
    expect(tokens(world)).toEqual(expected);
  },
  60_000,
);
