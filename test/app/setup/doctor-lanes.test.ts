import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { laneProblems } from '../../../src/app/setup/doctor-lanes.ts';
import { endMarkedProcesses } from '../../../src/base/process/end-tree.ts';
import { scratchTree } from '../../../src/lanes/tree/scratch-tree.ts';
import { startAttempt } from '../../support/attempts.ts';
import { boardRows } from '../../support/board-rows.ts';
import { sandbox } from '../../support/sandbox.ts';

test('finds no problem in a good state', async () => {
  const rows = await boardRows(sandbox());
  rows.verified('api');
  expect(await laneProblems(rows.context)).toEqual([]);
});

test('reports each process of an attempt that is over', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const attempt = rows.attempt(rows.lane('api'), {
    through: ['running', 'exited', 'ended'],
    note: { endReason: 'crashed' },
  });
  onTestFinished(async () => void (await endMarkedProcesses(attempt.id, { graceMs: 0 })));
  const { guard } = startAttempt(box, 'sleep', ['60'], { env: { LANEHOLD_ATTEMPT: attempt.id } });
  const [found, ...others] = await laneProblems(rows.context);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    state: 'broken',
    fact: expect.stringMatching(/of attempt 1 of lane api, which is over, still run$/),
    hint: expect.stringContaining(String(guard.pid)),
  });
});

test('reports processes of an integrator that is gone', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const marker = `integration-${rows.run.id}`;
  onTestFinished(async () => void (await endMarkedProcesses(marker, { graceMs: 0 })));
  startAttempt(box, 'sleep', ['60'], { env: { LANEHOLD_ATTEMPT: marker } });
  const lock = scratchTree(rows.store.home, 'integration', rows.run).take();
  expect(await laneProblems(rows.context)).toEqual([]);
  lock?.release();
  expect(await laneProblems(rows.context)).toMatchObject([
    { fact: expect.stringMatching(/of the integration of run billing, which is over, still run$/) },
  ]);
});

test('a run whose repository is gone hides no other, and is told with what to do', async () => {
  const rows = await boardRows(sandbox());
  rows.verified('api');
  rmSync(rows.repo, { recursive: true });
  expect(await laneProblems(rows.context)).toMatchObject([
    {
      fact: `the repository of run billing is gone from ${rows.repo}`,
      hint: expect.stringContaining('lanehold project move'),
    },
  ]);
});

test('reports missing worktrees, and lanes without a supervisor', async () => {
  const rows = await boardRows(sandbox());
  rmSync(rows.verified('api').worktree ?? '', { recursive: true });
  rows.attempt(rows.lane('web'), { through: ['running'] });
  const facts = (await laneProblems(rows.context)).map(({ fact }) => fact);
  expect(facts).toEqual([
    'lane web (billing) has no supervisor',
    'run billing, lane api: worktree: the worktree is gone',
  ]);
});
