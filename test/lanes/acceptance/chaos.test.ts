/**
 * C2 by chance: lanes at work, and every now and then somebody of somebody's is killed or stopped.
 * `LANEHOLD_CHAOS_SEED` plays a round again; `LANEHOLD_CHAOS_ROUNDS` plays as many, each with more lanes and kills:
 * `npm run test:chaos` sets it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { attemptProcess, type Part } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { isLive, laneFacts, rows } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { signal } from '../../support/marked-processes.ts';

// Many kills, and after each a wait for what recovers from it.
vi.setConfig({ testTimeout: 120_000 });

const ROUNDS = Number(process.env.LANEHOLD_CHAOS_ROUNDS ?? 1);
const FIRST_SEED = Number(process.env.LANEHOLD_CHAOS_SEED ?? 1);
const isLong = process.env.LANEHOLD_CHAOS_ROUNDS !== undefined;
const KILLS = isLong ? 12 : 8;
const KEYS = isLong ? ['a', 'b', 'c', 'd'] : ['a', 'b'];
const PARTS: readonly (readonly Part[])[] = [
  ['worker'],
  ['guard'],
  ['supervisor'],
  ['supervisor', 'guard'],
  ['supervisor', 'worker'],
  ['guard', 'worker'],
  ['supervisor', 'guard', 'worker'],
];

/** Some 3 s of work in small pieces, each of which can be cut off. */
function work(key: string): Step[] {
  return Array.from({ length: 15 }, (_, n): Step[] => [
    { write: { [`${key}/${n}.txt`]: `${n}` } },
    ...(n % 5 === 2 ? [{ commit: `${key} ${n}` }] : []),
    ...(n === 7 ? [{ daemon: { name: `${key}-${n}`, how: 'child' as const } }] : []),
    { sleep: 200 },
  ]).flat();
}

const seeds = Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round);

test.each(seeds)(
  'C2: whatever is killed, nothing runs twice and nothing is left (seed %i)',
  async (seed) => {
    const random = generator(seed);
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
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(random() * 700);
      killAny(project, random);
      if (random() < 0.5) await Promise.all([run.reconcile(), run.reconcile()]);
    }
    await run.settled();

    expectOneAtATime(project);
    expect(project.processesLeft()).toEqual([]);
    for (const lane of laneFacts(project)) {
      expect(lane, JSON.stringify(lane, undefined, 1)).toMatchObject({ state: 'verified' });
      const passes = lane.validations.filter((it) => it.result === 'pass');
      expect(passes.map(({ sha }) => sha)).toContain(lane.head_sha);
    }
    const events = rows(project, 'SELECT seq FROM lane_events ORDER BY seq');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(rows(project, 'SELECT 1 FROM ledger WHERE settled = 0')).toEqual([]);
    expect(project.git('status', '--porcelain')).toBe('');
  },
);

function killAny(project: LaneProject, random: () => number): void {
  const atWork = laneFacts(project).filter(({ attempt }) => isLive(attempt));
  const lane = atWork[Math.floor(random() * atWork.length)];
  const parts = PARTS[Math.floor(random() * PARTS.length)] ?? [];
  for (const part of lane === undefined ? [] : parts) {
    const found = lane && attemptProcess(project, lane.key, part);
    if (found !== undefined) signal(found, 'SIGKILL');
  }
}

/** Nobody found another one of its lane alive: neither workers nor validations. */
function expectOneAtATime(project: LaneProject): void {
  const began = project.journal().filter((it) => it.event === 'start' || it.event === 'check');
  expect(began.filter(({ others }) => others > 0)).toEqual([]);
}

/** The same numbers for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
