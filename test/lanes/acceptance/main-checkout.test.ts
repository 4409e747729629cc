/** Tests that write into the checkout of the person pause the run, as a worker's writes do. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('the lane and the command that wrote are named; writing at home or into what is ignored is nothing', async () => {
  const project = laneProject({
    files: { '.gitignore': 'cache/\n' },
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]], b: [[{ write: { 'b.txt': 'b' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  const main = '"$(git rev-parse --git-common-dir)/.."';
  await run.add('a', {
    validate: `echo x > own.txt && mkdir -p ${main}/cache && : > ${main}/cache/x`,
  });
  await run.add('b', { validate: `echo x > ${main}/src/core.txt` });
  await run.spawn('a');
  await run.settled();
  const { json: before } = await run.orchestrate('status');
  expect([run.lane('a').state, before.run.intent]).toEqual(['verified', 'active']);
  expect(existsSync(join(project.repo, 'cache/x'))).toBe(true);

  await run.spawn('b');
  await run.settled();
  const { json: after } = await run.orchestrate('status');
  expect(after.run.intent).toBe('paused');
  expect(after.run.pauseReason).toMatch(
    /^the main checkout was changed while `echo x > .*core\.txt` of lane b ran; it is kept as refs\/lanehold\/\S+\/b\/main-checkout$/,
  );
  expect(run.lane('b').validations.at(-1)?.flags).toContain('main-checkout-changed');
  const ref = after.run.pauseReason.split(' ').at(-1);
  expect(project.git('show', '--stat', '--format=', ref)).toContain('src/core.txt');
});
