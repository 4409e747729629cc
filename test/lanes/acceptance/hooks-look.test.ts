/** No command is needed: an agent's next prompt finds a lane that nobody looks after. */
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { promptSubmit } from '../../support/payloads.ts';

test('a hook has a lane taken over whose supervisor was killed', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { 'src/a.txt': 'a' } }, { waitFor: 'go' }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the worker to be at work', () => project.starts('a').length === 1);
  await run.reaches('a', 'running');
  await kill(project, 'a', ['supervisor']);

  // The first ones may come while the supervisor counts as just started.
  await project.until('somebody to take over', async () => {
    const ran = await project.box.startHook('prompt-submit', promptSubmit(project.repo), {
      env: project.env,
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return run.lane('a').attempt?.epoch === 2;
  });
  project.raise('go');
  await run.reaches('a', 'verified');
  expect(project.starts('a')).toHaveLength(1);
});
