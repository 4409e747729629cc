import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('after its database was lost, a run is repaired, validated again and integrated', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        api: [[{ write: { 'src/api.txt': 'api' } }]],
        web: [[{ write: { 'src/web.txt': 'web' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('api', { touches: ['src/api.txt'] });
  await run.add('web', { touches: ['src/web.txt'] });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ api: 'verified', web: 'verified' });
  const { json: told } = await run.orchestrate('handoff');
  await project.until('all that holds the database to end', () => project.processes().length === 0);
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(join(project.box.laneholdHome, `lanehold.db${suffix}`), { force: true });
  }
  await project.lanehold('doctor', '--repair');
  expect(run.states()).toEqual({ api: 'untested', web: 'untested' });
  const { json: lost } = await run.orchestrate('status');
  expect(lost.lanes[0].help[0]).toBe('lanehold orchestrate verify api');
  for (const key of ['api', 'web']) {
    await run.orchestrate('verify', key);
    await run.reaches(key, 'verified');
  }
  const heads = (json: typeof told) =>
    json.board.lanes.map(({ headSha }: { headSha: string }) => headSha);
  expect(heads((await run.orchestrate('handoff')).json)).toEqual(heads(told));
  const { json } = await run.orchestrate('integrate');
  expect(json.integrated).toHaveLength(2);
});
