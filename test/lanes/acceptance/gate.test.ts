/** What a lane verified of the project's features counts at the gate once it has landed. */
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const REGISTRY = JSON.stringify({
  features: { core: { files: ['src/**'], smoke: ['sh check.sh'] } },
});

test('a feature verified in a lane is verified where the same content landed', async () => {
  const project = laneProject({
    files: { 'lanehold.json': REGISTRY },
    scenario: {
      lanes: { a: [[{ write: { 'src/a.txt': 'a' } }]], b: [[{ write: { 'doc/b.txt': 'b' } }]] },
    },
  });
  project.git('init', '--quiet', '--bare', '../remote.git');
  project.git('remote', 'add', 'origin', '../remote.git');
  project.git('push', '--quiet', 'origin', 'main');
  const gate = () => project.lanehold('gate', '--command', 'git push origin main');
  const run = laneRun(project);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.add('b', { touches: ['doc/**'] });
  await run.spawn();
  await run.settled();
  await run.orchestrate('integrate');
  await run.orchestrate('land');
  expect(project.git('show', 'HEAD:src/a.txt')).toBe('a');
  expect((await gate()).exitCode).toBe(3);

  const worktree = run.lane('a').worktree;
  const verified = await project.lanehold('feature', 'verify', 'core', '--project', worktree ?? '');
  expect(verified).toMatchObject({ exitCode: 0 });
  expect(await gate()).toMatchObject({ exitCode: 0 });
});
