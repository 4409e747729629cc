/** C2: supervision survives each kill, at a random moment. */
import { expect, test, vi } from 'vitest';
import type { RoundReport } from '../../chaos/kill-round.ts';
import { roundOf } from '../../chaos/rows.ts';
import { runRounds } from '../../chaos/run-rounds.ts';

// Nine rounds, each with a lane from its start to its end.
vi.setConfig({ testTimeout: 120_000 });

const SEED = 4_711;

test('C2: each set of processes is killed, at a moment of its own', async () => {
  const reports: RoundReport[] = [];
  await runRounds(roundOf(0, SEED), 3, (report) => reports.push(report));
  const troubled = reports.filter(
    ({ wrong, left, lost }) => wrong.length + left.length + lost.length > 0,
  );
  expect(troubled).toEqual([]);
  expect(reports).toHaveLength(9);
  expect(reports.flatMap(({ hit }) => hit)).not.toEqual([]);
});
