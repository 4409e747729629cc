/** A worker uses the login of whoever asked for the work, not of whoever happens to look. */
import { expect, test } from 'vitest';
import { laneRun } from '../../support/lane-run.ts';
import { strike } from '../../support/lane-victims.ts';
import { type LaneWorld, laneWorld } from '../../support/lanes.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const KEY = { ANTHROPIC_API_KEY: 'not-a-key' };

/** From a shell in which nothing is said of a login. */
async function elsewhere(world: LaneWorld, ...args: readonly string[]): Promise<string> {
  const env = { ...world.env, ANTHROPIC_API_KEY: undefined };
  const { stdout } = await runNode(CLI_PROGRAM, ['orchestrate', ...args], { cwd: world.repo, env });
  return stdout;
}

function keyed(files: Readonly<Record<string, string>> = {}) {
  const scenario = { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } };
  const world = laneWorld({ env: KEY, files, scenario });
  return { world, run: laneRun(world) };
}

test('a lane does not start where there is no login for it, and says so', async () => {
  const { world, run } = keyed();
  await run.init();
  await run.add('a');
  await run.orchestrate('pause');
  await run.spawn();
  await elsewhere(world, 'resume');
  expect(await elsewhere(world, 'status')).toMatch(
    /it is to use the login claude-code#[0-9a-f]{8}, and here it would be claude-code; `spawn a`/,
  );
  expect(world.starts()).toEqual([]);
  await run.tick();
  await run.reaches('a', 'verified');
});

test('whoever spawns it lets it use the login that there is', async () => {
  const { world, run } = keyed();
  await run.init();
  await run.add('a');
  await run.orchestrate('pause');
  await run.spawn();
  await run.orchestrate('resume');
  await run.reaches('a', 'verified');
  await elsewhere(world, 'retry', 'a');
  await world.until('it to start again', () => world.starts().length === 2);
  expect(world.starts().map(({ lane }) => lane)).toEqual(['a', 'a']);
});

test('one that is taken over before its worker has begun waits for its login', async () => {
  const setup = 'touch begun; while test ! -e "$HOME/go"; do sleep 0.1; done';
  const { world, run } = keyed({
    'lanehold.json': JSON.stringify({ lanes: { setup } }),
    '.gitignore': 'begun\n',
  });
  await run.init();
  await run.add('a');
  await run.spawn();
  await world.until('the setup', () => world.processesLeft().some((it) => it.stage === 'setup'));
  await strike(world, 'a', ['supervisor']);
  await world.until('somebody to take over', async () => {
    await elsewhere(world, 'status');
    return run.lane('a').attempt?.epoch === 2;
  });
  world.box.write(`${world.box.home}/go`, '');
  await run.reaches('a', 'parked');
  await elsewhere(world, 'status');
  expect(world.starts()).toEqual([]);
  await run.tick();
  await run.reaches('a', 'verified');
});
