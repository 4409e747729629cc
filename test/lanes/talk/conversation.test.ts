/** Questions and answers with real supervisors, and stand-ins for agents. */
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const ASK = { lanehold: ['orchestrate', 'ask', 'Which name?'] } as const;
const WORK = [{ write: { 'a.txt': 'a\n' } }] as const;

test('a lane whose worker ended with a question is resumed with the answer', async () => {
  const project = laneProject({ scenario: { lanes: { a: [[ASK], WORK] } } });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ a: 'asks' });
  const { json } = await run.orchestrate('answer', 'a', 'the short one');
  expect(json).toMatchObject({ lane: 'a', body: 'Which name?', outcome: 'resumed' });
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified' });
  expect(project.starts('a')).toHaveLength(2);
});

test('a program that asks about limits has not reached one', async () => {
  const asks = "echo 'What is the rate limit of billing?'; lanehold orchestrate ask 'Which name?'";
  const workers = { local: { adapter: 'command', command: ['sh', '-c', asks] } };
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { workers, agent: 'local' } }) },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { agent: 'local' });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ a: 'asks' });
});

test('an answer that the worker was not told before it ended is not lost', async () => {
  const project = laneProject({ scenario: { lanes: { a: [[ASK, { waitFor: 'go' }], WORK] } } });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  const { json } = await project.until('the question to be on record', async () => {
    const ran = await project.orchestrate('answer', 'a', 'the short one');
    return ran.exitCode === 0 ? ran : undefined;
  });
  expect(json.outcome).toBe('told');
  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified' });
  // Told with the second start, so there is no third one.
  expect(project.starts('a')).toHaveLength(2);
});

test('an answer that was told starts no worker', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[ASK], [ASK], [{ say: 'no idea' }], WORK] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  for (const answer of ['one', 'two']) {
    await run.settled();
    expect(run.states()).toEqual({ a: 'asks' });
    await run.orchestrate('answer', 'a', answer);
  }
  await run.settled();
  expect(run.states()).toEqual({ a: 'failed' });
  expect(project.starts('a')).toHaveLength(3);
});

test('finished work does not count while its question is open, and goes on with the answer', async () => {
  const half = [ASK, { write: { 'a.txt': 'half\n' } }] as const;
  const project = laneProject({
    scenario: { lanes: { a: [half, WORK], b: [[{ write: { 'b.txt': 'b\n' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.spawn();
  await run.reaches('a', 'asks');
  expect(run.lane('a').validations.at(-1)).toMatchObject({ result: 'pass' });
  expect(run.states()).toEqual({ a: 'asks', b: 'waiting' });
  const { json: status } = await run.orchestrate('status');
  expect(status.lanes[0]).toMatchObject({
    state: 'asks',
    help: [expect.stringContaining('answer a')],
  });
  const refused = await project.orchestrate('integrate', '--lane', 'a');
  expect(refused.exitCode).toBe(2);
  expect(JSON.stringify(refused.json)).toContain('is not verified: it asks a question');
  expect((await project.lanehold('orchestrate', 'handoff')).stdout).toContain('Which name?');

  const { json } = await run.orchestrate('answer', 'a', 'the short one');
  expect(json.outcome).toBe('resumed');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
  expect(project.starts('a')).toHaveLength(2);
});

test('a lane that is retried goes on without the answer to its earlier question', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[ASK, { write: { 'a.txt': 'half\n' } }], WORK] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'asks');
  await run.orchestrate('retry', 'a');
  await run.reaches('a', 'verified');
});
