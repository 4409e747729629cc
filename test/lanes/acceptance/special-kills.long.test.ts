/** C2: what is special about some kills and ends; the matrix of kills is `kill-matrix.test.ts`. */
import { expect, test } from 'vitest';
import { attemptProcess, kill } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { expectWell, halfDone, untilUnguarded, WORK } from '../../support/half-done.ts';
import { laneEvents } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('C2: a worker without its guard is waited for, and not what it leaves behind', async () => {
  const daemons: Step[] = (['child', 'setsid'] as const).map((how) => ({
    daemon: { name: how, how, ignoreTerm: true },
  }));
  const { project, run } = await halfDone({ work: [...daemons, ...WORK] });
  await kill(project, 'a', ['supervisor', 'guard']);
  await run.reconcile();
  await untilUnguarded({ project, run });
  project.raise('go');
  await run.settled();
  const lane = run.lane('a');
  expect(lane).toMatchObject({ state: 'verified', attempt: { epoch: 2, exit_code: null } });
  expect(lane.attempt?.flags).toContain('exit-unknown');
  expect(project.git('show', `${lane.head_sha}:whole.txt`)).toBe('whole');
  expectWell(project);
});

test('C2: a supervisor that dies while it validates: the next one validates again', async () => {
  const { project, run } = await halfDone({ validate: 'fake-check slow' });
  project.raise('go');
  await project.until('the validation', () => project.isRaised('checking'));
  await kill(project, 'a', ['supervisor']);
  await run.reconcile();
  project.raise('checked');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(run.lane('a').validations.filter((it) => it.subject === 'lane')).toHaveLength(1);
  const checks = project.journal().filter((it) => it.event === 'check');
  expect(checks.map(({ others }) => others)).toEqual(checks.map(() => 0));
  expectWell(project);
});

test('C2: ten who look at once start one supervisor', async () => {
  const { project, run } = await halfDone();
  await kill(project, 'a', ['supervisor']);
  // The first ones may come while the one that was killed counts as just started.
  await project.until('a supervisor', async () => {
    await Promise.all(Array.from({ length: 10 }, () => run.reconcile()));
    return attemptProcess(project, 'a', 'supervisor') !== undefined;
  });
  await Promise.all(Array.from({ length: 10 }, () => run.reconcile()));
  project.raise('go');
  await run.settled();
  expect(run.lane('a').attempt?.epoch).toBe(2);
  expect(laneEvents(project, 'attempt.adopted')).toHaveLength(1);
  expectWell(project);
});

test('C2: a supervisor that stands still is not replaced, and goes on when it is woken', async () => {
  const { project, run } = await halfDone();
  await kill(project, 'a', ['supervisor'], 'SIGSTOP');
  project.raise('go');
  await project.until('the end of the worker', () =>
    project.journal().some((it) => it.event === 'end' && it.lane === 'a'),
  );
  await run.reconcile();
  await run.reconcile();
  expect(run.lane('a').attempt?.epoch).toBe(1);
  await kill(project, 'a', ['supervisor'], 'SIGCONT');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { epoch: 1 } });
  expectWell(project);
});

test('C2: a cancelled lane ends with all that it started, ignoring or stopped', async () => {
  const project = laneProject({
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
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('half of the work', () => project.isRaised('half'));
  await run.orchestrate('lane', 'cancel', 'a');
  await project.until('the end of all', () => project.processesLeft().length === 0);
  await run.settled();
  expect(run.lane('a').state).toBe('cancelled');
  expect(project.starts('a')).toHaveLength(1);
});

test.each(['claude-code', 'codex'] as const)(
  'C2: %s, killed before its first word, begins anew',
  async (agent) => {
    const project = laneProject({
      scenario: {
        lanes: {
          a: [[{ raise: 'half' }, { hang: true }], [{ write: { 'whole.txt': 'whole' } }]],
        },
      },
    });
    const run = laneRun(project);
    await run.init();
    await run.add('a', { agent });
    await run.spawn();
    await project.until('the worker', () => project.isRaised('half'));
    await kill(project, 'a', ['supervisor', 'guard', 'worker']);
    await run.settled();
    expect(project.journal().filter((it) => it.event === 'refused')).toEqual([]);
    expect(run.lane('a').state).toBe('verified');
    expectWell(project);
  },
);

test.each(['claude-code', 'codex'] as const)(
  'C2: %s, killed in the middle, goes on with its session',
  async (agent) => {
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
    await run.add('a', { agent });
    await run.spawn();
    await project.until('the worker', () => project.isRaised('half'));
    await project.until('its session', () => run.lane('a').attempt?.session_id != null);
    await kill(project, 'a', ['supervisor', 'guard', 'worker']);
    await run.settled();
    const [first, second] = project.starts('a');
    expect(second?.resumed).toBe(first?.session);
    const lane = run.lane('a');
    expect(lane).toMatchObject({ state: 'verified', attempt: { epoch: 1 } });
    for (const path of ['half.txt', 'whole.txt']) {
      expect(project.git('show', `${lane.head_sha}:${path}`)).not.toBe('');
    }
    expectWell(project);
  },
);
