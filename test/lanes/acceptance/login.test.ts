/** A worker uses the login of whoever asked for the work, not of whoever happens to look. */
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const KEY = { ANTHROPIC_API_KEY: 'not-a-key' };

/** From a shell in which nothing is said of a login. */
async function elsewhere(project: LaneProject, ...args: readonly string[]): Promise<string> {
  const env = { ...project.env, ANTHROPIC_API_KEY: undefined };
  const { stdout } = await runNode(CLI_PROGRAM, ['orchestrate', ...args], {
    cwd: project.repo,
    env,
  });
  return stdout;
}

function keyed(files: Readonly<Record<string, string>> = {}) {
  const scenario = { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } };
  const project = laneProject({ env: KEY, files, scenario });
  return { project, run: laneRun(project) };
}

test('a lane does not start where there is no login for it, and says so', async () => {
  const { project, run } = keyed();
  await run.init();
  await run.add('a');
  await run.orchestrate('pause');
  await run.spawn();
  await elsewhere(project, 'resume');
  expect(await elsewhere(project, 'status')).toMatch(
    /it is to use the login claude-code#[0-9a-f]{8}, and here it would be claude-code; `spawn a`/,
  );
  expect(project.starts()).toEqual([]);
  await run.reconcile();
  await run.reaches('a', 'verified');
});

test('whoever spawns it lets it use the login that there is', async () => {
  const { project, run } = keyed();
  await run.init();
  await run.add('a');
  await run.orchestrate('pause');
  await run.spawn();
  await run.orchestrate('resume');
  await run.reaches('a', 'verified');
  await elsewhere(project, 'retry', 'a');
  await project.until('it to start again', () => project.starts().length === 2);
  expect(project.starts().map(({ lane }) => lane)).toEqual(['a', 'a']);
});

test('one that is taken over before its worker has begun waits for its login', async () => {
  const setup = 'touch begun; while test ! -e "$HOME/go"; do sleep 0.1; done';
  const { project, run } = keyed({
    'lanehold.json': JSON.stringify({ lanes: { setup } }),
    '.gitignore': 'begun\n',
  });
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the setup', () =>
    project.processesLeft().some((it) => it.stage === 'setup'),
  );
  await kill(project, 'a', ['supervisor']);
  await project.until('somebody to take over', async () => {
    await elsewhere(project, 'status');
    return run.lane('a').attempt?.epoch === 2;
  });
  project.box.write(`${project.box.home}/go`, '');
  await run.reaches('a', 'parked');
  await elsewhere(project, 'status');
  expect(project.starts()).toEqual([]);
  await run.reconcile();
  await run.reaches('a', 'verified');
});
