/** C2, C8: the clock is set forward and back by days while lanes run: nobody is lost, nobody waits for ever. */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import type { Scenario, Step } from '../../support/fake-worker.ts';
import { expectWell } from '../../support/half-done.ts';
import { laneEvents, rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { DAY_MS, movedClock } from '../../support/moved-clock.ts';

// Supervisors notice a changed clock by their own slow heartbeats.
vi.setConfig({ testTimeout: 120_000 });

const WAITS: readonly Step[] = [
  { write: { 'half.txt': 'half' } },
  { raise: 'half' },
  { waitFor: 'go' },
  { write: { 'whole.txt': 'whole' } },
];

test('C2: neither a jump forward nor one back ends a worker, or changes the order of what happened', async () => {
  const clock = movedClock();
  const project = laneProject({
    env: clock.env,
    ownProcess: true,
    scenario: { lanes: { a: [WAITS] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { more: ['--timeout', '1h'] });
  await run.spawn();
  await project.until('half of the work', () => project.isRaised('half'));
  const shown = () =>
    Number(rows(project, 'SELECT progress_at AS at FROM attempts')[0]?.at ?? 0) - Date.now();
  clock.set(3);
  await project.until('the supervisor to go by it', () => shown() > 2 * DAY_MS, 60_000);
  expect((await run.reconcile()).json).toMatchObject({ takenOver: [], started: [] });
  clock.set(-5);
  await project.until('the supervisor to go by that', () => shown() < -4 * DAY_MS, 60_000);
  expect((await run.reconcile()).json).toMatchObject({ takenOver: [], started: [] });
  expect(run.lane('a')).toMatchObject({ state: 'running', attempt: { epoch: 1 } });
  project.raise('go');
  await run.settled();

  const { state, attempts } = run.lane('a');
  expect({ state, attempts: attempts.length }).toEqual({ state: 'verified', attempts: 1 });
  const steps = laneEvents(project).filter(({ type }) => type.startsWith('attempt.'));
  expect(steps.map(({ type }) => type)).toEqual(
    ['starting', 'running', 'exited', 'validating', 'ended'].map((it) => `attempt.${it}`),
  );
  const spent = rows(project, 'SELECT used_seconds AS seconds FROM ledger')[0]?.seconds;
  expect(Number(spent)).toBeLessThan(3_600);
  // It ended days before it began.
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(stdout).toMatch(/a +verified +claude-code +<1 min/);
  expectWell(project);
});

test('C2: a supervisor that was started tomorrow is replaced today', async () => {
  const clock = movedClock(1);
  const project = laneProject({
    env: clock.env,
    ownProcess: true,
    scenario: { lanes: { a: [WAITS] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until(
    'half of the work',
    () => project.isRaised('half') && run.lane('a').attempt?.state === 'running',
  );
  clock.set(0);
  await kill(project, 'a', ['supervisor']);
  const { json } = await run.reconcile();
  expect(json.takenOver).toEqual(['a']);
  project.raise('go');
  await run.reaches('a', 'verified');
  expect(run.lane('a').attempt?.epoch).toBe(2);
  expectWell(project);
});

test('C3: the last checkpoint is the one that was made last, whatever the clock said', async () => {
  const clock = movedClock(1);
  const project = laneProject({
    env: clock.env,
    ownProcess: true,
    scenario: {
      lanes: {
        a: [
          [{ write: { 'a.txt': 'first', broken: '' } }],
          [{ write: { 'a.txt': 'second' } }],
          [{ delete: ['broken'] }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'failed');
  clock.set(0);
  await run.orchestrate('retry', 'a');
  await run.reaches('a', 'failed');
  expect(run.lane('a').attempts).toHaveLength(2);
  rmSync(run.lane('a').worktree ?? '', { recursive: true });
  await run.orchestrate('retry', 'a');
  await run.reaches('a', 'verified');
  expect(project.git('show', `${run.lane('a').head_sha}:a.txt`)).toBe('second');
  expectWell(project);
});

const LIMIT: readonly Step[] = [
  { quota: { text: 'usage limit reached, try again in 3 hours', exit: 1 } },
];

/** The account is out of quota as often as that when lane a is tried. */
const limited = (times: number): Scenario => ({
  lanes: {
    a: [...Array.from({ length: times }, () => LIMIT), [{ write: { 'a.txt': 'a' } }]],
    b: [[{ write: { 'b.txt': 'b' } }]],
  },
});

test('C8: a park until a time is over once the clock is set beyond it', async () => {
  const clock = movedClock();
  const project = laneProject({ env: clock.env, ownProcess: true, scenario: limited(1) });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'parked');
  await run.reconcile();
  expect(run.lane('a').attempts).toHaveLength(1);
  clock.set(1);
  await run.reconcile();
  await run.reaches('a', 'verified');
  expect(project.starts('a')).toHaveLength(2);
  expectWell(project);
});

test('C8: a park until a time of a clock that was days ahead is asked about when it is set right', async () => {
  const clock = movedClock(10);
  const project = laneProject({ env: clock.env, ownProcess: true, scenario: limited(2) });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn('a');
  await run.reaches('a', 'parked');
  clock.set(0);
  // It is not over yet; what is told of it now counts from now.
  await run.reconcile();
  await project.until('another park', () => {
    const { state, attempts } = run.lane('a');
    return state === 'parked' && attempts.length === 2;
  });
  const until = (): number => Number(rows(project, 'SELECT resume_at FROM breakers')[0]?.resume_at);
  expect(until() - Date.now()).toBeLessThan(4 * 3_600_000);
  // Asked once: whoever looks now waits, and so does the other lane of the account.
  const { json } = await project.orchestrate('spawn', 'b');
  expect(json).toBeDefined();
  await run.reconcile();
  expect(project.starts().length).toBe(2);
  expect(run.lane('b').attempts).toEqual([]);

  clock.set(1);
  await run.looksUntil('all to go on', () =>
    Object.values(run.states()).every((state) => state === 'verified'),
  );
  expectWell(project);
});

test('time in which the supervisor was stopped, or the machine slept, does not count against the worker', async () => {
  const project = laneProject({
    ownProcess: true,
    files: { 'lanehold.json': JSON.stringify({ lanes: { stall: '8s', onStall: 'stop' } }) },
    scenario: { lanes: { a: [WAITS] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { more: ['--timeout', '10s'] });
  await run.spawn();
  await project.until('half of the work', () => project.isRaised('half'));
  await run.reaches('a', 'running');
  await kill(project, 'a', ['supervisor'], 'SIGSTOP');
  await delay(14_000);
  await kill(project, 'a', ['supervisor'], 'SIGCONT');
  await delay(500);
  project.raise('go');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { flags: [] } });
});
