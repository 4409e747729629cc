import { expect, test } from 'vitest';
import { laneProject } from '../support/lane-project.ts';
import { laneRun } from '../support/lane-run.ts';

test.each([1, 2, 3, 4, 5, 6])('one %i', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } },
    ...(process.env.PROFX ? { env: { NODE_OPTIONS: process.env.PROFX } } : {}),
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.reaches('a', 'verified');
  await project.until('the end of all', () => project.processes().length === 0);
  expect(run.lane('a').state).toBe('verified');
});
