import { expect, test } from 'vitest';
import { laneProject } from '../../../support/lane-project.ts';
import { laneRun } from '../../../support/lane-run.ts';

test('--ready --wait comes back when all are done, also those that were started before', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        api: [[{ write: { 'api.txt': 'mine' } }]],
        ui: [[{ write: { 'ui.txt': 'mine' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('api');
  await run.add('ui', { needs: ['api'] });
  await run.spawn('api', 'ui');
  const { json } = await run.orchestrate('spawn', '--ready', '--wait');
  expect(run.states()).toEqual({ api: 'verified', ui: 'verified' });
  expect(json).toMatchObject({ lanes: [], waiting: {} });
  // Nothing has changed since: there is nothing to tell.
  expect(await project.lanehold('orchestrate', 'sync', '--wait')).toMatchObject({
    exitCode: 0,
    stdout: 'Nothing to do\n',
    stderr: '',
  });
});
