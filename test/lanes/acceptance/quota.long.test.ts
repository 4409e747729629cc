/** C8: a usage limit parks all lanes of the account; one finds out when it is over. */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { attemptProcess, kill } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { laneFacts, rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

// The resets of limits that the tests wait for are whole seconds apart.
// They mostly wait, so that some can wait at once.
vi.setConfig({ testTimeout: 120_000, maxConcurrency: 3 });

const KEYS = ['a', 'b', 'c', 'd'];
const inSeconds = (n: number): number => Math.ceil(Date.now() / 1000) + n;

function limited(resetsAt: number, exit: number) {
  const limit = { quota: { text: `Claude AI usage limit reached|${resetsAt}`, exit } };
  return Object.fromEntries(
    KEYS.map((key) => [key, [[limit], [{ sleep: 300 }, { write: { [`${key}.txt`]: key } }]]]),
  );
}

test.concurrent('C8: an account that is out of quota is asked once after the reset, then all lanes continue', async ({
  onTestFinished,
}) => {
  const project = laneProject({
    cleanUp: onTestFinished,
    files: { 'lanehold.json': JSON.stringify({ lanes: { parallel: KEYS.length, attempts: 1 } }) },
  });
  // More than the machine would let work at once.
  const slots = { lanes: { baseline: 'when-needed', slots: { worker: 8, validate: 2, setup: 2 } } };
  project.box.write(join(project.box.laneholdHome, 'config.json'), JSON.stringify(slots));
  const run = laneRun(project);
  await run.init();
  for (const key of KEYS) await run.add(key);
  const resetsAt = inSeconds(12);
  project.setScenario({ lanes: limited(resetsAt, 0) });
  await run.spawn();
  await run.reaches('a', 'parked');
  // What was told of the limit is written in whole seconds; whoever asks later finds it over.
  project.setScenario({
    lanes: Object.fromEntries(
      KEYS.map((key) => [key, [[{ waitFor: 'the reset' }, { write: { [`${key}.txt`]: key } }]]]),
    ),
  });
  await project.until('the reset', () => Date.now() > resetsAt * 1000);
  const before = project.starts().length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(2);
  await run.looksUntil('somebody to ask', () => project.starts().length > before);
  // As often as anybody looks, nobody follows before it is answered.
  for (let look = 0; look < 3; look += 1) await run.reconcile();
  expect(project.starts()).toHaveLength(before + 1);
  project.raise('the reset');
  await run.settled();
  await run.looksUntil('all to be verified', () =>
    Object.values(run.states()).every((state) => state === 'verified'),
  );
  expect(laneFacts(project).every(({ attempt }) => attempt?.end_reason === 'verified')).toBe(true);
  // Of those that were refused each once more, of the others each once. Not each that had started was
  // refused: one that reads its scenario late finds the limit gone.
  const attempts = laneFacts(project).flatMap((lane) => lane.attempts);
  const refused = attempts.filter(({ end_reason }) => end_reason === 'parked').length;
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(before);
  expect(project.starts()).toHaveLength(KEYS.length + refused);
});

test.concurrent('C8: where the settings say so, a lane goes on with the opposite agent at once', async ({
  onTestFinished,
}) => {
  const project = laneProject({
    cleanUp: onTestFinished,
    files: { 'lanehold.json': JSON.stringify({ lanes: { onLimit: 'opposite' } }) },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  const [first = []] = limited(inSeconds(3_600), 1).a ?? [];
  project.setScenario({
    lanes: { a: [first, [{ write: { 'a.txt': 'a' } }]], b: [[{ write: { 'b.txt': 'b' } }]] },
  });
  await run.spawn('a');
  await run.looksUntil('the other agent', () => run.lane('a').state === 'verified');
  expect(run.lane('a').attempts.map(({ agent, end_reason }) => [agent, end_reason])).toEqual([
    ['claude-code', 'parked'],
    ['codex', 'verified'],
  ]);
  // Another lane of the account does not even try it.
  await run.spawn('b');
  await run.settled();
  expect(run.lane('b').attempts.map(({ agent }) => agent)).toEqual(['codex']);
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(stdout).toMatch(/^ {2}b +verified +codex /m);
});

test.concurrent('C8: a lane continues after the reset though no process was left to wait for it', async ({
  onTestFinished,
}) => {
  const project = laneProject({ cleanUp: onTestFinished });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  project.setScenario({ lanes: { a: limited(inSeconds(6), 1).a ?? [] } });
  await run.spawn();
  await run.reaches('a', 'parked');
  await project.until('nobody left', () => project.processes().length === 0);
  await run.looksUntil('the lane to go on', () => run.lane('a').state === 'verified');
  expect(project.starts('a')).toHaveLength(2);
});

test.concurrent('C8: a run that a person has paused stays paused after the reset', async ({
  onTestFinished,
}) => {
  const project = laneProject({ cleanUp: onTestFinished });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  project.setScenario({ lanes: { a: limited(inSeconds(5), 1).a ?? [] } });
  await run.spawn();
  await run.reaches('a', 'parked');
  await run.orchestrate('pause');
  await project.until('the reset', () => {
    const [{ resume_at = 0 } = {}] = rows(project, 'SELECT resume_at FROM attempts');
    return Date.now() > Number(resume_at) + 500;
  });
  await run.reconcile();
  expect(run.lane('a').state).toBe('parked');
  expect(project.starts('a')).toHaveLength(1);
});

test.concurrent('C8: pausing stops a worker and keeps its work, and resuming continues it', async ({
  onTestFinished,
}) => {
  const project = laneProject({
    cleanUp: onTestFinished,
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
  await project.until('half of the work', () => project.isRaised('half'));
  await run.orchestrate('pause');
  await project.until(
    'the worker to end',
    () => attemptProcess(project, 'a', 'worker') === undefined,
  );
  await run.reaches('a', 'parked');
  expect(attemptProcess(project, 'a', 'worker')).toBeUndefined();
  await run.orchestrate('resume');
  await run.reaches('a', 'verified');
  expect(project.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half');
});

test.concurrent('C8: a lane that is refused again after the reset closes the account for all lanes until the next reset', async ({
  onTestFinished,
}) => {
  const project = laneProject({
    cleanUp: onTestFinished,
    files: { 'lanehold.json': JSON.stringify({ lanes: { parallel: 1, attempts: 1 } }) },
  });
  const limit = (resetsAt: number) => ({
    quota: { text: `Claude AI usage limit reached|${resetsAt}`, exit: 1 },
  });
  const play = (steps: readonly Step[]): void =>
    project.setScenario({ lanes: Object.fromEntries(KEYS.map((key) => [key, [steps]])) });
  const run = laneRun(project);
  await run.init();
  for (const key of KEYS) await run.add(key);
  const first = inSeconds(6);
  const second = first + 6;
  play([limit(first)]);
  await run.spawn();
  await run.reaches('a', 'parked');
  play([limit(second)]);
  await run.looksUntil('somebody to ask again', () => project.starts().length === 2);
  // From here on whoever starts finds work.
  play([{ write: { 'same.txt': 'x' } }]);
  await run.looksUntil('all to be verified', () =>
    Object.values(run.states()).every((state) => state === 'verified'),
  );
  const at = project.starts().map((start) => start.at);
  expect(at.filter((it) => it < first * 1000)).toHaveLength(1);
  expect(at.filter((it) => it >= first * 1000 && it < second * 1000)).toHaveLength(1);
  expect(rows(project, 'SELECT * FROM breakers')).toEqual([]);
});

test.concurrent('C8: the limit of one account does not affect another account', async ({
  onTestFinished,
}) => {
  const project = laneProject({ cleanUp: onTestFinished });
  project.setScenario({
    lanes: { a: limited(inSeconds(600), 0).a ?? [], b: [[{ write: { 'b.txt': 'b' } }]] },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { agent: 'codex' });
  await run.spawn('a');
  await run.reaches('a', 'parked');
  await run.spawn('b');
  await run.reaches('b', 'verified');
  const { json } = await run.orchestrate('spawn', 'a');
  expect(json.waiting.a).toMatch(/out of quota until/);
  expect(project.starts('a')).toHaveLength(1);
});

test.concurrent('C8: a parked attempt does not count as used', async ({ onTestFinished }) => {
  const project = laneProject({
    cleanUp: onTestFinished,
    files: { 'lanehold.json': JSON.stringify({ lanes: { attempts: 2 } }) },
  });
  const [limit = []] = limited(inSeconds(2), 1).a ?? [];
  project.setScenario({
    lanes: {
      a: [limit, [{ raise: 'again' }, { hang: true }], [{ write: { 'a.txt': 'a' } }]],
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.looksUntil('the second start', () => project.isRaised('again'));
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  await run.settled();
  const ends = run.lane('a').attempts.map(({ end_reason }) => end_reason);
  expect(ends).toEqual(['parked', 'lost', 'verified']);
});

test.concurrent('C8: a person can resume a lane before the reset', async ({ onTestFinished }) => {
  const project = laneProject({
    cleanUp: onTestFinished,
    files: { 'lanehold.json': JSON.stringify({ lanes: { parallel: 1 } }) },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  project.setScenario({
    lanes: { a: limited(inSeconds(600), 1).a ?? [], b: limited(0, 1).b ?? [] },
  });
  await run.spawn('a');
  await run.reaches('a', 'parked');
  await run.spawn('b');
  project.setScenario({ lanes: { '*': [[{ write: { 'new.txt': 'x' } }]] } });
  await run.reconcile();
  expect(project.starts()).toHaveLength(1);
  await run.orchestrate('resume', 'a');
  await run.reaches('a', 'verified');
  await run.reconcile();
  await run.reaches('b', 'verified');
  expect(rows(project, 'SELECT * FROM breakers')).toEqual([]);
});
