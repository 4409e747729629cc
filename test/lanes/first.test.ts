import { expect, test } from 'vitest';
import { laneWorld, VALIDATE } from '../support/lanes.ts';

test('a lane goes from a task to verified', async () => {
  const world = laneWorld({
    scenario: { lanes: { api: [{ steps: [{ write: { 'src/api.txt': 'new\n' } }] }] } } as never,
  });
  const init = await world.orchestrate('init', 'Try it', '--name', 'try');
  expect(init.stderr).toBe('');
  const add = await world.orchestrate('lane', 'add', 'api', '--desc', 'Add it', '--agent', 'claude-code', '--validate', VALIDATE);
  expect(add.stderr + add.stdout).toBe('');
  const spawn = await world.orchestrate('spawn', 'api', '--wait');
  console.log(spawn.stdout, spawn.stderr);
}, 60_000);
