/** No command is needed: an agent's next prompt finds a lane that nobody looks after. */
import { expect, test } from 'vitest';
import { laneRun } from '../../support/lane-run.ts';
import { laneWorld } from '../../support/lanes.ts';
import { promptSubmit } from '../../support/payloads.ts';

test('a hook has a lane taken over whose supervisor was killed', async () => {
  const world = laneWorld({
    scenario: { lanes: { a: [[{ write: { 'src/a.txt': 'a' } }, { waitFor: 'go' }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await world.until('the worker to be at work', () => world.starts('a').length === 1);
  await run.reaches('a', 'running');
  const supervisor = run.lane('a').attempt?.sup_pid;
  const found = world.processes().find(({ pid }) => pid === supervisor);
  expect(found && world.signal(found, 'SIGKILL')).toBe(true);

  // The first ones may come while the supervisor counts as just started.
  await world.until('somebody to take over', async () => {
    const ran = await world.box.hook('prompt-submit', promptSubmit(world.repo), { env: world.env });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return run.lane('a').attempt?.epoch === 2;
  });
  world.raise('go');
  await run.reaches('a', 'verified');
  expect(world.starts('a')).toHaveLength(1);
});
