/** The list that a worker keeps for itself is in the store as soon as its stream shows it. */
import { expect, test } from 'vitest';
import { halfDone } from '../../support/half-done.ts';
import { rows } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { strike } from '../../support/lane-victims.ts';
import { type LaneWorld, laneWorld } from '../../support/lanes.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;

const tasks = (world: LaneWorld) =>
  rows(world, 'SELECT agent, session, title, status FROM session_tasks ORDER BY position').map(
    (it) => Object.values(it),
  );

/** Waits for what the supervisor stores while the worker runs. */
const stored = (world: LaneWorld, title: string) =>
  world.until(
    () => `${title} among ${JSON.stringify(tasks(world))}`,
    () => JSON.stringify(tasks(world)).includes(title),
  );

test('the plan of a worker is stored while it works, without secrets, and told in the handoff', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [
          [
            { plan: { 'Read the code': true, [`Log in with ${SECRET}`]: false, Third: false } },
            { waitFor: 'go' },
            { plan: { 'Log in': true, 'Write `it` down': false } },
            { write: { broken: 'x' } },
          ],
        ],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { agent: 'codex' });
  await run.spawn();
  await stored(world, 'Third');
  const session = world.starts('a')[0]?.session;
  expect(tasks(world)).toEqual([
    ['codex', session, 'Read the code', 'completed'],
    ['codex', session, expect.stringMatching(/^Log in with \[redacted:/), 'pending'],
    ['codex', session, 'Third', 'pending'],
  ]);
  expect(JSON.stringify(tasks(world))).not.toContain(SECRET);
  world.raise('go');
  await run.reaches('a', 'failed');
  expect(tasks(world)).toEqual([
    ['codex', session, 'Log in', 'completed'],
    ['codex', session, 'Write `it` down', 'pending'],
  ]);
  const { stdout } = await world.lanehold('orchestrate', 'handoff');
  expect(stdout).toContain('task list of codex: 1 open, 1 done, next ``Write `it` down``');
}, 60_000);

test('a plan outlives its supervisor, and the next session of the lane has its own', async () => {
  const { world, run } = await halfDone({
    agent: 'codex',
    work: [
      { plan: { 'One thing': false } },
      { raise: 'half' },
      { waitFor: 'go' },
      { say: 'Going on.' },
      { plan: { 'One thing': true, 'Another thing': false } },
      { raise: 'planned' },
      { waitFor: 'never' },
    ],
  });
  const planned = () =>
    world.until('the second plan to be written', () => world.isRaised('planned'));
  await stored(world, 'One thing');
  strike(world, 'a', ['supervisor']);
  world.raise('go');
  await planned();
  await run.tick();
  await stored(world, 'Another thing');
  strike(world, 'a', ['supervisor', 'guard', 'worker']);
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(tasks(world).map(([, , title, status]) => [title, status])).toEqual([
    ['One thing', 'completed'],
    ['Another thing', 'pending'],
  ]);
  const { stdout } = await world.lanehold('orchestrate', 'handoff');
  expect(stdout).not.toContain('Another thing');
}, 60_000);

test('what a worker planned in its last moment is stored although nobody was there to see it', async () => {
  const { world, run } = await halfDone({
    agent: 'codex',
    work: [
      { say: 'Beginning.' },
      { raise: 'half' },
      { waitFor: 'go' },
      { plan: { 'Last words': false } },
      { raise: 'planned' },
      { waitFor: 'never' },
    ],
  });
  strike(world, 'a', ['supervisor']);
  world.raise('go');
  await world.until('the plan to be written', () => world.isRaised('planned'));
  strike(world, 'a', ['guard', 'worker']);
  await run.settled();
  expect(tasks(world).map(([, , title]) => title)).toEqual(['Last words']);
}, 60_000);
