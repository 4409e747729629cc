/** A person goes on with the session of a worker. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../../src/fronts/main.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

/** At a terminal, with a `claude` that only notes how it was started. */
async function attach(project: LaneProject, ...words: readonly string[]) {
  const noted = join(project.box.root, 'noted');
  const bin = join(project.box.root, 'person');
  const program = `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > '${noted}'\n`;
  chmodSync(project.box.write(join(bin, 'claude'), program), 0o755);
  const { host, said } = bufferedHost(['orchestrate', 'lane', 'attach', ...words], {
    env: { ...project.env, PATH: `${bin}:${project.env.PATH}` },
    cwd: () => project.repo,
    now: () => new Date(),
  });
  for (const stream of Object.values(host.streams)) Object.assign(stream, { isTTY: true });
  const exitCode = await main(host);
  return { exitCode, ...said, noted: () => readFileSync(noted, 'utf8').trim().split('\n') };
}

test('a worker that is taken over is stopped, its session is opened, and it goes on afterwards', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'a.txt': 'a' } }, { raise: 'written' }, { hang: true }],
          [{ write: { 'b.txt': 'b' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('work', () => project.isRaised('written'));
  const taken = await attach(project, 'a', '--take-over');
  expect(taken).toMatchObject({ exitCode: 0 });
  const { worktree, session_id: session } = run.lane('a').attempt ?? {};
  expect(taken.noted()).toEqual([worktree, '--resume', session]);
  expect(readFileSync(join(worktree ?? '', 'a.txt'), 'utf8')).toBe('a');
  expect(run.lane('a')).toMatchObject({ state: 'blocked', attempt: { end_cause: 'paused' } });
  await run.orchestrate('lane', 'block', 'a', '--clear');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  const [first, second] = project.starts('a');
  expect(second?.resumed).toBe(first?.session);
});

test('where there is no session to take over, it says what to do instead, and blocks nothing', async () => {
  const project = laneProject();
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  const { exitCode, stderr } = await attach(project, 'a', '--take-over');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('cd "$(lanehold orchestrate lane open a)"');
  expect(run.lane('a').state).toBe('planned');
});
