/** C2: supervision survives each kill, at a random moment. */
import { expect, test, vi } from 'vitest';
import type { RoundReport } from '../../chaos/kill-round.ts';
import { roundOf } from '../../chaos/rows.ts';
import { runRounds } from '../../chaos/run-rounds.ts';

// Each round has a lane from its start to its end.
vi.setConfig({ testTimeout: 120_000 });

const SEED = 4_711;
/** `npm run test:chaos` plays the other sets too, each at twenty moments, and judges them in the same way. */
const SETS = ['supervisor later', 'supervisor,guard look', 'supervisor,guard,worker look'];

test('C2: sets of processes are killed, each at a moment of its own', async () => {
  const reports: RoundReport[] = [];
  const jobs = roundOf(0, SEED).filter(({ killed: { targets, next } }) =>
    SETS.includes(`${targets.join()} ${next}`),
  );
  await runRounds(jobs, jobs.length, (report) => reports.push(report));
  const troubled = reports.filter(
    ({ wrong, left, lost }) => wrong.length + left.length + lost.length > 0,
  );
  expect(troubled).toEqual([]);
  expect(reports).toHaveLength(SETS.length);
  expect(reports.flatMap(({ hit }) => hit)).not.toEqual([]);
});
