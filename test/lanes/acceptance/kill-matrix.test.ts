/**
 * C2: supervision survives each kill. One matrix of what is killed (`test/chaos/matrix.ts`), played at three kinds of
 * moments: in the middle of the work, where the end is known exactly; at a moment that a seed chooses; and again and
 * again, of several lanes at work.
 *
 * `LANEHOLD_CHAOS_ROUNDS` plays all rows that often, `LANEHOLD_CHAOS_SEED` plays one seed again: `npm run test:chaos`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type RoundReport, wrongOf } from '../../chaos/kill-round.ts';
import { MATRIX, roundOf } from '../../chaos/matrix.ts';
import { runRounds } from '../../chaos/run-rounds.ts';
import { attemptProcess, kill, type Part } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { expectWell, halfDone, untilUnguarded } from '../../support/half-done.ts';
import { isLive, laneFacts } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { signal } from '../../support/marked-processes.ts';
import { seededRandom } from '../../support/seeded-random.ts';

// Each round has a lane from its start to its end.
vi.setConfig({ testTimeout: 120_000 });

const ROUNDS = process.env.LANEHOLD_CHAOS_ROUNDS;
const isLong = ROUNDS !== undefined;
const rounds = Array.from({ length: Number(ROUNDS ?? 1) }, (_, round) => round + 1);

const middles = MATRIX.flatMap(({ middle, short, ...row }) =>
  middle !== undefined && (isLong || short === 'middle' || short === 'both')
    ? [{ ...row, ...middle }]
    : [],
);

test.each(rounds.flatMap((round) => middles.map((row) => ({ ...row, round }))))(
  'C2: $targets die in the middle ($next), round $round',
  async ({ targets, next, workers, epoch, holds }) => {
    const { project, run } = await halfDone();
    await kill(project, 'a', targets);
    if (next === 'look') await run.reconcile();
    if (targets.join() === 'supervisor,guard') await untilUnguarded({ project, run });
    if (targets.join() !== 'guard') project.raise('go');
    if (next === 'later') {
      const { dir } = run.lane('a').attempt ?? { dir: '' };
      await project.until('the end of the worker', () => existsSync(join(dir, 'exit.json')));
    }
    await run.settled();
    const lane = run.lane('a');
    expect(lane.state).toBe('verified');
    expect(project.starts('a')).toHaveLength(workers);
    expect(lane.attempt?.epoch).toBe(epoch);
    for (const path of holds) expect(project.git('show', `${lane.head_sha}:${path}`)).not.toBe('');
    expectWell(project);
  },
);

test('C2: sets of processes are killed, each at a moment of its own', async () => {
  const reports: RoundReport[] = [];
  // `npm run test:chaos` plays all rows, each at twenty moments, in a program of its own.
  const jobs = roundOf(0, 4_711).filter(({ row }) => row.short === 'any' || row.short === 'both');
  await runRounds(jobs, jobs.length, (report) => reports.push(report));
  const troubled = reports.filter(
    ({ wrong, left, lost }) => wrong.length + left.length + lost.length > 0,
  );
  expect(troubled).toEqual([]);
  expect(reports).toHaveLength(3);
  expect(reports.flatMap(({ hit }) => hit)).not.toEqual([]);
});

const FIRST_SEED = Number(process.env.LANEHOLD_CHAOS_SEED ?? 1);
const KILLS = isLong ? 12 : 8;
const KEYS = isLong ? ['a', 'b', 'c', 'd'] : ['a', 'b'];

/** Some 3 s of work in small pieces, each of which can be cut off. */
function work(key: string): Step[] {
  return Array.from({ length: 15 }, (_, n): Step[] => [
    { write: { [`${key}/${n}.txt`]: `${n}` } },
    ...(n % 5 === 2 ? [{ commit: `${key} ${n}` }] : []),
    ...(n === 7 ? [{ daemon: { name: `${key}-${n}`, how: 'child' as const } }] : []),
    { sleep: 200 },
  ]).flat();
}

test.each(rounds.map((round) => FIRST_SEED + round - 1))(
  'C2: whatever is killed of several lanes, nothing runs twice and nothing is left (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const project = laneProject({
      files: { 'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s', attempts: 9 } }) },
      scenario: {
        lanes: Object.fromEntries(KEYS.map((key) => [key, [work(key)]])),
        checks: { unit: [[{ sleep: 400 }]] },
      },
    });
    const run = laneRun(project);
    await run.init('Try chance', '--attempts', '9');
    for (const key of KEYS) await run.add(key, { validate: 'fake-check unit' });
    await run.spawn();
    for (let count = 0; count < KILLS; count += 1) {
      await sleep(random() * 700);
      killAny(project, random);
      if (random() < 0.5) await Promise.all([run.reconcile(), run.reconcile()]);
    }
    await run.settled();

    expect(project.processesLeft()).toEqual([]);
    for (const lane of laneFacts(project)) {
      expect(lane, JSON.stringify(lane, undefined, 1)).toMatchObject({ state: 'verified' });
      expect(wrongOf(project, lane)).toEqual([]);
    }
  },
);

function killAny(project: LaneProject, random: () => number): void {
  const atWork = laneFacts(project).filter(({ attempt }) => isLive(attempt));
  const lane = atWork[Math.floor(random() * atWork.length)];
  const sets = new Set(MATRIX.map(({ targets }) => targets));
  const parts: readonly Part[] = [...sets][Math.floor(random() * sets.size)] ?? [];
  for (const part of lane === undefined ? [] : parts) {
    const found = lane && attemptProcess(project, lane.key, part);
    if (found !== undefined) signal(found, 'SIGKILL');
  }
}
