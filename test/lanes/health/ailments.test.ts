import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { laneAilments } from '../../../src/lanes/health/ailments.ts';
import { endHolders } from '../../../src/process/end-tree.ts';
import { startAttempt } from '../../support/attempts.ts';
import { boardRows } from '../../support/board-rows.ts';
import { sandbox } from '../../support/sandbox.ts';

test('finds nothing where all is well', async () => {
  const rows = await boardRows(sandbox());
  rows.verified('api');
  expect(await laneAilments(rows.world)).toEqual([]);
});

test('reports each process of an attempt that is over', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const attempt = rows.attempt(rows.lane('api'), {
    through: ['running', 'exited', 'ended'],
    note: { end_reason: 'crashed' },
  });
  onTestFinished(async () => void (await endHolders(attempt.id, { graceMs: 0 })));
  const { guard } = startAttempt(box, 'sleep', ['60'], { env: { LANEHOLD_ATTEMPT: attempt.id } });
  const [found, ...others] = await laneAilments(rows.world);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    state: 'broken',
    fact: expect.stringMatching(/of attempt 1 of lane api, which is over, still run$/),
    hint: expect.stringContaining(String(guard.pid)),
  });
});

test('reports worktrees that are gone, and lanes that nobody looks after', async () => {
  const rows = await boardRows(sandbox());
  rmSync(rows.verified('api').worktree ?? '', { recursive: true });
  rows.attempt(rows.lane('web'), { through: ['running'] });
  const facts = (await laneAilments(rows.world)).map(({ fact }) => fact);
  expect(facts).toEqual([
    'nobody looks after lane web (billing)',
    'run billing, lane api: worktree: the worktree is gone',
  ]);
});
