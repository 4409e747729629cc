/** Who looks after a worker is nobody's child, and takes all of the worker along when it ends it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attemptProcess } from '../../support/attempt-processes.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

test('a coordinator that is killed with its whole group takes no worker along', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ raise: 'works' }, { waitFor: 'go' }, { write: { a: 'a' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  const args = [CLI_PROGRAM, 'orchestrate', 'spawn', 'a', '--wait'];
  const options = { cwd: project.repo, env: project.env, detached: true, stdio: 'ignore' } as const;
  const coordinator = spawn(process.execPath, args, options);
  const gone = new Promise((resolve) => coordinator.on('exit', resolve));
  await project.until('the worker', () => project.isRaised('works'));
  await run.reaches('a', 'running');
  const sessionOf = (pid: number | undefined): string | undefined =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3];
  const sessions = (['supervisor', 'guard'] as const).map((part) =>
    sessionOf(attemptProcess(project, 'a', part)?.pid),
  );
  expect(new Set([...sessions, sessionOf(coordinator.pid)]).size).toBe(3);
  process.kill(-(coordinator.pid ?? 0), 'SIGKILL');
  await gone;
  project.raise('go');
  await run.reaches('a', 'verified');
});

test.each(['lane cancel a', 'cancel'])(
  '`%s` ends the worker with all that it has started, and keeps its work',
  async (words) => {
    const project = laneProject({
      scenario: {
        lanes: {
          a: [
            [
              { write: { 'half.txt': 'half' } },
              { daemon: { name: 'server', how: 'setsid' } },
              { daemon: { name: 'hidden', how: 'double-fork' } },
              { ignore: ['SIGTERM', 'SIGHUP'] },
              { raise: 'half' },
              { hang: true },
            ],
          ],
        },
      },
    });
    const run = laneRun(project);
    await run.init();
    await run.add('a');
    await run.spawn();
    await project.until('half of it', () => project.isRaised('half'));
    await run.orchestrate(...words.split(' '));
    expect(run.lane('a')).toMatchObject({ state: 'cancelled' });
    await project.until('nobody left', () => project.processes().length === 0);
    const refs = project.git('for-each-ref', '--format=%(refname)', 'refs/lanehold');
    const kept = refs.split('\n').find((ref) => ref.endsWith('/ckpt')) ?? '';
    expect(project.git('show', `${kept}:half.txt`)).toBe('half');
    await run.reconcile();
    expect(project.starts('a')).toHaveLength(1);
  },
);

test('what a validation or a set-up leaves running ends with it', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      checks: {
        install: [[{ daemon: { name: 'store', how: 'setsid' } }]],
        prove: [[{ daemon: { name: 'server', how: 'setsid' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check prove', more: ['--setup', 'fake-check install'] });
  await run.spawn();
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  await project.until('nobody left', () => project.processes().length === 0);
});
