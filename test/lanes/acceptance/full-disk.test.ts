/** C2: a disk that fills up while lanes are at work: they wait for room, and nothing is lost. */
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Scenario, Step } from '../../support/fake-worker.ts';
import { expectWell } from '../../support/half-done.ts';
import { laneEvents } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { strike, victim } from '../../support/lane-victims.ts';
import { type LaneWorld, laneWorld } from '../../support/lanes.ts';
import { fillCommand, NO_SMALL_DISK, type SmallDisk, smallDisk } from '../../support/small-disk.ts';
import { statOf } from '../../support/world-processes.ts';

const TIMEOUT_MS = 120_000;
const MEBIBYTE = 1024 ** 2;
const skipped = NO_SMALL_DISK === undefined ? '' : ` (skipped: ${NO_SMALL_DISK})`;
const onSmallDisk = test.skipIf(NO_SMALL_DISK !== undefined);

/** The first worker does half of the work and fills the disk, the second one does the rest. */
const filling = (disk: SmallDisk, then: readonly Step[]): Scenario => ({
  lanes: {
    a: [
      [
        { write: { 'half.txt': 'half' } },
        { sh: fillCommand(disk.root) },
        { raise: 'full' },
        ...then,
      ],
      [{ write: { 'whole.txt': 'whole' } }],
    ],
  },
});

async function begun(world: LaneWorld) {
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  return run;
}

/** The lane is parked for the disk, nobody is left of it, and nobody is started while it is full. */
async function expectParked(world: LaneWorld, run: ReturnType<typeof laneRun>): Promise<void> {
  await run.reaches('a', 'parked');
  expect(run.lane('a')).toMatchObject({ intent: 'run', attempt: { n: 1, end_reason: 'parked' } });
  expect(run.lane('a').attempt?.end_detail).toMatch(/^disk: \d+ MiB are free on the disk of \//);
  expectWell(world);
  expect((await run.tick()).json).toMatchObject({ started: [], takenOver: [] });
  expect((await world.lanehold('orchestrate', 'status')).stdout).toMatch(
    /disk: \d+ MiB are free on the disk of .*; until there is room/,
  );
}

/** A tick goes on, in the same tree and with all that was in it. */
async function expectGoesOn(world: LaneWorld, run: ReturnType<typeof laneRun>): Promise<void> {
  await run.tick();
  await run.reaches('a', 'verified');
  const { head_sha: head, attempts } = run.lane('a');
  expect(attempts).toHaveLength(2);
  expect(world.git('show', `${head}:half.txt`)).toBe('half');
  expect(world.git('show', `${head}:whole.txt`)).toBe('whole');
  expectWell(world);
}

const reserveOf = (home: string): number => {
  const { size, blocks } = statSync(join(home, 'reserve'), { throwIfNoEntry: false }) ?? {};
  expect(blocks === undefined || blocks * 512 >= (size ?? 0)).toBe(true);
  return size ?? 0;
};

onSmallDisk(
  `C2: who fills the disk of LANEHOLD_HOME is ended, and the lane goes on when there is room${skipped}`,
  async () => {
    const disk = smallDisk(192);
    const home = join(disk.root, 'home');
    const scenario = filling(disk, [{ hang: true }]);
    const world = laneWorld({ env: { LANEHOLD_HOME: home }, scenario });
    const run = await begun(world);
    await world.until('a full disk', () => world.isRaised('full'), TIMEOUT_MS / 2);
    await expectParked(world, run);
    // Written down in what was kept for it.
    expect(reserveOf(home)).toBe(0);

    disk.empty();
    await expectGoesOn(world, run);
    expect(reserveOf(home)).toBe(16 * MEBIBYTE);
  },
  TIMEOUT_MS,
);

onSmallDisk(
  `C2: one that ends by itself on a full disk was not refused: its lane waits for room${skipped}`,
  async () => {
    const disk = smallDisk(128);
    const world = laneWorld({ scenario: filling(disk, [{ exit: 1 }]) });
    world.box.write(
      join(world.box.laneholdHome, 'config.json'),
      JSON.stringify({ lanes: { worktrees: join(disk.root, 'trees') } }),
    );
    const run = await begun(world);
    await expectParked(world, run);
    expect(run.lane('a').attempt?.end_detail).toContain(disk.root);

    disk.empty();
    await run.orchestrate('resume', 'a');
    await run.reaches('a', 'verified');
    expect(world.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half');
    expectWell(world);
  },
  TIMEOUT_MS,
);

onSmallDisk(
  `C2: where git cannot write any more the tree is kept as it is, and committed later${skipped}`,
  async () => {
    const disk = smallDisk(160);
    const world = laneWorld({ scenario: filling(disk, [{ hang: true }]) });
    const objects = join(world.repo, '.git/objects');
    spawnSync('cp', ['-a', objects, join(disk.root, 'objects')]);
    renameSync(objects, `${objects}.old`);
    symlinkSync(join(disk.root, 'objects'), objects);
    const run = await begun(world);
    await expectParked(world, run);
    const { worktree } = run.lane('a');
    expect(readFileSync(join(worktree ?? '', 'half.txt'), 'utf8')).toBe('half');
    expect(laneEvents(world, 'checkpoint.failed')).not.toEqual([]);

    disk.empty();
    await expectGoesOn(world, run);
  },
  TIMEOUT_MS,
);

onSmallDisk(
  `C2: a validation that fails on a full disk is no verdict${skipped}`,
  async () => {
    const disk = smallDisk(192);
    const world = laneWorld({
      env: { LANEHOLD_HOME: join(disk.root, 'home') },
      scenario: {
        lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
        checks: { disk: [[{ sh: fillCommand(disk.root) }, { exit: 1 }], [{ exit: 0 }]] },
      },
    });
    const run = laneRun(world);
    await run.init();
    await run.add('a', { validate: 'fake-check disk' });
    await run.spawn();
    await run.reaches('a', 'parked');
    expect(run.lane('a').attempt).toMatchObject({
      end_reason: 'parked',
      end_detail: expect.stringMatching(/^disk: /),
    });
    expect(run.lane('a').validations).toEqual([]);
    expectWell(world);
    await expect(run.orchestrate('verify', 'a')).rejects.toThrow('cannot be verified now');

    disk.empty();
    await run.orchestrate('verify', 'a');
    expect(run.lane('a').state).toBe('verified');
    expect(world.starts('a')).toHaveLength(1);
    expectWell(world);
  },
  TIMEOUT_MS,
);

onSmallDisk(
  `C2: without a reserve a supervisor waits for room to write down what happened${skipped}`,
  async () => {
    const disk = smallDisk(100);
    const home = join(disk.root, 'home');
    const scenario = filling(disk, [{ hang: true }]);
    const world = laneWorld({ env: { LANEHOLD_HOME: home }, scenario });
    const run = await begun(world);
    await world.until(
      'the end of the worker',
      () =>
        world.isRaised('full') &&
        !world.starts('a').some(({ pid, start }) => statOf(pid)?.start === start),
    );
    expect(reserveOf(home)).toBe(0);
    // Nobody could write; it is still in charge, and says so as soon as it can.
    expect(run.lane('a').attempt?.state).toBe('running');
    expect(victim(world, 'a', 'supervisor')).toBeDefined();

    disk.empty();
    await run.reaches('a', 'parked');
    expect(run.lane('a').attempt).toMatchObject({
      epoch: 1,
      end_detail: expect.stringMatching(/^disk: /),
    });
    await run.orchestrate('resume', 'a');
    await run.reaches('a', 'verified');
    expectWell(world);
  },
  TIMEOUT_MS,
);

onSmallDisk(
  `C2: a worker alone on a full disk is ended by the next who looks, who is shown the run${skipped}`,
  async () => {
    const disk = smallDisk(192);
    const home = join(disk.root, 'home');
    const world = laneWorld({
      env: { LANEHOLD_HOME: home },
      scenario: {
        lanes: {
          a: [
            [
              { write: { 'half.txt': 'half' } },
              { raise: 'half' },
              { waitFor: 'alone' },
              { sh: fillCommand(disk.root) },
              { raise: 'full' },
              { hang: true },
            ],
            [{ write: { 'whole.txt': 'whole' } }],
          ],
        },
      },
    });
    const run = await begun(world);
    await world.until(
      'half',
      () => world.isRaised('half') && run.lane('a').attempt?.state === 'running',
    );
    await strike(world, 'a', ['supervisor']);
    world.raise('alone');
    await world.until('a full disk', () => world.isRaised('full'), TIMEOUT_MS / 2);
    expect(disk.freeBytes()).toBeLessThan(MEBIBYTE);
    const status = await world.lanehold('orchestrate', 'status');
    expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('running') });
    expect(world.starts('a')).toHaveLength(1);

    await run.looksUntil('somebody to take it over', () => run.lane('a').state === 'parked');
    await expectParked(world, run);
    disk.empty();
    await expectGoesOn(world, run);
  },
  TIMEOUT_MS,
);

onSmallDisk(
  `C2: what fills every disk that it is given goes on only for somebody who asks${skipped}`,
  async () => {
    const disk = smallDisk(192);
    const world = laneWorld({
      env: { LANEHOLD_HOME: join(disk.root, 'home') },
      scenario: { lanes: { a: [[{ sh: fillCommand(disk.root) }, { hang: true }]] } },
    });
    const run = laneRun(world);
    await run.init('Try lanes', '--attempts', '2');
    await run.add('a');
    await run.spawn();
    const parked = (n: number) => () =>
      run.lane('a').attempt?.n === n && run.lane('a').state === 'parked';
    await world.until('a park', parked(1), TIMEOUT_MS / 2);
    disk.empty();
    await run.tick();
    await world.until('another park', parked(2), TIMEOUT_MS / 2);
    disk.empty();
    await run.tick();
    expect(run.lane('a')).toMatchObject({ state: 'parked', attempt: { n: 2 } });
    expectWell(world);
  },
  TIMEOUT_MS,
);
