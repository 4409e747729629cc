/** C2: whoever is killed, and whenever, the lane comes to the right end and nothing is left. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Step } from '../../support/fake-worker.ts';
import { laneEvents } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { type Part, strike, victim } from '../../support/lane-victims.ts';
import { type LaneWorld, laneWorld } from '../../support/lanes.ts';

const ROUNDS = Number(process.env.LANEHOLD_CHAOS_ROUNDS ?? 1);
const TIMEOUT_MS = 60_000 * ROUNDS;

/** It has written a part of its work when the test strikes, and goes on once it is let. */
const WORK: readonly Step[] = [
  { write: { 'half.txt': 'half' } },
  { raise: 'half' },
  { waitFor: 'go' },
  { write: { 'whole.txt': 'whole' } },
];
const AGAIN: readonly Step[] = [{ write: { 'whole.txt': 'whole' } }];

async function halfDone({
  validate,
  work = WORK,
}: {
  validate?: string;
  work?: readonly Step[];
} = {}) {
  const world = laneWorld({
    files: { 'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s' } }) },
    scenario: {
      lanes: { a: [work, AGAIN] },
      checks: { slow: [[{ raise: 'checking' }, { waitFor: 'checked' }]] },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', validate === undefined ? {} : { validate });
  await run.spawn();
  await world.until('half of the work', () => world.isRaised('half'));
  return { world, run };
}

function expectWell(world: LaneWorld): void {
  expect(world.processesLeft()).toEqual([]);
  expect(world.starts().map(({ others }) => others)).toEqual(world.starts().map(() => 0));
}

/** The first looks may come while the supervisor that was killed counts as just started. */
const isUnguarded = ({ world, run }: Awaited<ReturnType<typeof halfDone>>) =>
  world.until('a supervisor that waits for the worker', async () => {
    await run.tick();
    return laneEvents(world, 'attempt.unguarded').length > 0;
  });

interface Row {
  readonly dies: readonly Part[];
  /** What happens between the kill and the next look of anybody. */
  readonly next: 'look' | 'worker ends, nobody looks';
  readonly workers: number;
  readonly epoch: number;
  readonly holds: readonly string[];
}

const ROWS: readonly Row[] = [
  { dies: ['worker'], next: 'look', workers: 1, epoch: 1, holds: ['half.txt'] },
  { dies: ['guard'], next: 'look', workers: 1, epoch: 1, holds: ['half.txt'] },
  { dies: ['guard', 'worker'], next: 'look', workers: 1, epoch: 1, holds: ['half.txt'] },
  { dies: ['supervisor'], next: 'look', workers: 1, epoch: 2, holds: ['half.txt', 'whole.txt'] },
  {
    dies: ['supervisor'],
    next: 'worker ends, nobody looks',
    workers: 1,
    epoch: 2,
    holds: ['half.txt', 'whole.txt'],
  },
  // Nobody is left who could tell its exit code: it is waited for, and judged by what it has done.
  {
    dies: ['supervisor', 'guard'],
    next: 'look',
    workers: 1,
    epoch: 2,
    holds: ['half.txt', 'whole.txt'],
  },
  { dies: ['supervisor', 'worker'], next: 'look', workers: 1, epoch: 2, holds: ['half.txt'] },
  {
    dies: ['supervisor', 'guard', 'worker'],
    next: 'look',
    workers: 2,
    epoch: 1,
    holds: ['half.txt', 'whole.txt'],
  },
];

const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

test.each(rounds.flatMap((round) => ROWS.map((row) => ({ ...row, round }))))(
  'C2: $dies die in the middle ($next), round $round',
  async ({ dies, next, workers, epoch, holds }) => {
    const { world, run } = await halfDone();
    strike(world, 'a', dies);
    if (next === 'look') await run.tick();
    if (dies.join() === 'supervisor,guard') await isUnguarded({ world, run });
    if (dies.join() !== 'guard') world.raise('go');
    if (next === 'worker ends, nobody looks') {
      const { dir } = run.lane('a').attempt ?? { dir: '' };
      await world.until('the end of the worker', () => existsSync(join(dir, 'exit.json')));
    }
    await run.settled();
    const lane = run.lane('a');
    expect(lane.state).toBe('verified');
    expect(world.starts('a')).toHaveLength(workers);
    expect(lane.attempt?.epoch).toBe(epoch);
    for (const path of holds) expect(world.git('show', `${lane.head_sha}:${path}`)).not.toBe('');
    expectWell(world);
  },
  TIMEOUT_MS,
);

test(
  'C2: a worker without its guard is waited for, and not what it leaves behind',
  async () => {
    const daemons: Step[] = (['child', 'setsid'] as const).map((how) => ({
      daemon: { name: how, how, ignoreTerm: true },
    }));
    const { world, run } = await halfDone({ work: [...daemons, ...WORK] });
    strike(world, 'a', ['supervisor', 'guard']);
    await run.tick();
    await isUnguarded({ world, run });
    world.raise('go');
    await run.settled();
    const lane = run.lane('a');
    expect(lane).toMatchObject({ state: 'verified', attempt: { epoch: 2, exit_code: null } });
    expect(lane.attempt?.flags).toContain('exit-unknown');
    expect(world.git('show', `${lane.head_sha}:whole.txt`)).toBe('whole');
    expectWell(world);
  },
  TIMEOUT_MS,
);

test(
  'C2: a supervisor that dies while it validates: the next one validates again',
  async () => {
    const { world, run } = await halfDone({ validate: 'fake-check slow' });
    world.raise('go');
    await world.until('the validation', () => world.isRaised('checking'));
    strike(world, 'a', ['supervisor']);
    await run.tick();
    world.raise('checked');
    await run.settled();
    expect(run.lane('a').state).toBe('verified');
    expect(run.lane('a').validations.filter((it) => it.subject === 'lane')).toHaveLength(1);
    const checks = world.journal().filter((it) => it.event === 'check');
    expect(checks.map(({ others }) => others)).toEqual(checks.map(() => 0));
    expectWell(world);
  },
  TIMEOUT_MS,
);

test(
  'C2: ten who look at once start one supervisor',
  async () => {
    const { world, run } = await halfDone();
    strike(world, 'a', ['supervisor']);
    // The first ones may come while the one that was killed counts as just started.
    await world.until('a supervisor', async () => {
      await Promise.all(Array.from({ length: 10 }, () => run.tick()));
      return victim(world, 'a', 'supervisor') !== undefined;
    });
    await Promise.all(Array.from({ length: 10 }, () => run.tick()));
    world.raise('go');
    await run.settled();
    expect(run.lane('a').attempt?.epoch).toBe(2);
    expect(laneEvents(world, 'attempt.adopted')).toHaveLength(1);
    expectWell(world);
  },
  TIMEOUT_MS,
);

test(
  'C2: a supervisor that stands still is not replaced, and goes on when it is woken',
  async () => {
    const { world, run } = await halfDone();
    strike(world, 'a', ['supervisor'], 'SIGSTOP');
    world.raise('go');
    await world.until('the end of the worker', () =>
      world.journal().some((it) => it.event === 'end' && it.lane === 'a'),
    );
    await run.tick();
    await run.tick();
    expect(run.lane('a').attempt?.epoch).toBe(1);
    strike(world, 'a', ['supervisor'], 'SIGCONT');
    await run.settled();
    expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { epoch: 1 } });
    expectWell(world);
  },
  TIMEOUT_MS,
);

test(
  'C2: a cancelled lane ends with all that it started, ignoring or stopped',
  async () => {
    const world = laneWorld({
      scenario: {
        lanes: {
          a: [
            [
              { ignore: ['SIGTERM'] },
              { write: { 'mine.txt': 'mine' } },
              { daemon: { name: 'one', how: 'setsid' } },
              { daemon: { name: 'two', how: 'double-fork', writes: 'beat.txt' } },
              { raise: 'half' },
              { stop: true },
            ],
          ],
        },
      },
    });
    const run = laneRun(world);
    await run.init();
    await run.add('a');
    await run.spawn();
    await world.until('half of the work', () => world.isRaised('half'));
    await run.orchestrate('lane', 'cancel', 'a');
    await world.until('the end of all', () => world.processesLeft().length === 0);
    await run.settled();
    expect(run.lane('a').state).toBe('cancelled');
    expect(world.starts('a')).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test.each(['claude-code', 'codex'] as const)(
  'C2: %s, killed before its first word, begins anew',
  async (agent) => {
    const world = laneWorld({
      scenario: {
        lanes: {
          a: [[{ raise: 'half' }, { hang: true }], [{ write: { 'whole.txt': 'whole' } }]],
        },
      },
    });
    const run = laneRun(world);
    await run.init();
    await run.add('a', { agent });
    await run.spawn();
    await world.until('the worker', () => world.isRaised('half'));
    strike(world, 'a', ['supervisor', 'guard', 'worker']);
    await run.settled();
    expect(world.journal().filter((it) => it.event === 'refused')).toEqual([]);
    expect(run.lane('a').state).toBe('verified');
    expectWell(world);
  },
  TIMEOUT_MS,
);

test.each(['claude-code', 'codex'] as const)(
  'C2: %s, killed in the middle, goes on with its session',
  async (agent) => {
    const world = laneWorld({
      scenario: {
        lanes: {
          a: [
            [{ write: { 'half.txt': 'half' } }, { raise: 'half' }, { hang: true }],
            [{ write: { 'whole.txt': 'whole' } }],
          ],
        },
      },
    });
    const run = laneRun(world);
    await run.init();
    await run.add('a', { agent });
    await run.spawn();
    await world.until('the worker', () => world.isRaised('half'));
    await world.until('its session', () => run.lane('a').attempt?.session_id != null);
    strike(world, 'a', ['supervisor', 'guard', 'worker']);
    await run.settled();
    const [first, second] = world.starts('a');
    expect(second?.resumed).toBe(first?.session);
    expect(run.lane('a').state).toBe('verified');
  },
  TIMEOUT_MS,
);
