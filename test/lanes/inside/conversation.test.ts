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
