/** C2: a disk that fills up while lanes are at work: they wait for room, and nothing is lost. */
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptProcess, kill } from '../../support/attempt-processes.ts';
import type { Scenario, Step } from '../../support/fake-worker.ts';
import { expectWell } from '../../support/half-done.ts';
import { laneEvents } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { statOf } from '../../support/marked-processes.ts';
import { fillCommand, NO_SMALL_DISK, type SmallDisk, smallDisk } from '../../support/small-disk.ts';

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

async function begun(project: LaneProject) {
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  return run;
}

/** The lane is parked for the disk, nobody is left of it, and nobody is started while it is full. */
async function expectParked(project: LaneProject, run: ReturnType<typeof laneRun>): Promise<void> {
  await run.reaches('a', 'parked');
  expect(run.lane('a')).toMatchObject({ intent: 'run', attempt: { n: 1, end_reason: 'parked' } });
  expect(run.lane('a').attempt?.end_detail).toMatch(/^\d+ MiB are free on the disk of \//);
  expectWell(project);
  expect((await run.reconcile()).json).toMatchObject({ started: [], takenOver: [] });
  expect((await project.lanehold('orchestrate', 'status')).stdout).toMatch(
    /disk: \d+ MiB are free on the disk of .*; until there is disk space/,
  );
}

/** A reconcile goes on, in the same tree and with all that was in it. */
async function expectGoesOn(project: LaneProject, run: ReturnType<typeof laneRun>): Promise<void> {
  await run.reconcile();
  await run.reaches('a', 'verified');
  const { head_sha: head, attempts } = run.lane('a');
  expect(attempts).toHaveLength(2);
  expect(project.git('show', `${head}:half.txt`)).toBe('half');
  expect(project.git('show', `${head}:whole.txt`)).toBe('whole');
  expectWell(project);
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
    const project = laneProject({ env: { LANEHOLD_HOME: home }, scenario });
    const run = await begun(project);
    await project.until('a full disk', () => project.isRaised('full') || disk.freeBytes() < 65_536);
    await expectParked(project, run);
    // Written down in what was kept for it.
    expect(reserveOf(home)).toBe(0);

    disk.empty();
    await expectGoesOn(project, run);
    expect(reserveOf(home)).toBe(16 * MEBIBYTE);
  },
);

onSmallDisk(
  `C2: one that ends by itself on a full disk was not refused: its lane waits for room${skipped}`,
  async () => {
    const disk = smallDisk(128);
    const project = laneProject({ scenario: filling(disk, [{ exit: 1 }]) });
    project.box.write(
      join(project.box.laneholdHome, 'config.json'),
      JSON.stringify({ lanes: { worktrees: join(disk.root, 'trees') } }),
    );
    const run = await begun(project);
    await expectParked(project, run);
    expect(run.lane('a').attempt?.end_detail).toContain(disk.root);

    disk.empty();
    await run.orchestrate('resume', 'a');
    await run.reaches('a', 'verified');
    expect(project.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half');
    expectWell(project);
  },
);

onSmallDisk(
  `C2: where git cannot write any more the tree is kept as it is, and committed later${skipped}`,
  async () => {
    const disk = smallDisk(160);
    const project = laneProject({ scenario: filling(disk, [{ hang: true }]) });
    const objects = join(project.repo, '.git/objects');
    spawnSync('cp', ['-a', objects, join(disk.root, 'objects')]);
    renameSync(objects, `${objects}.old`);
    symlinkSync(join(disk.root, 'objects'), objects);
    const run = await begun(project);
    await expectParked(project, run);
    const { worktree } = run.lane('a');
    expect(readFileSync(join(worktree ?? '', 'half.txt'), 'utf8')).toBe('half');
    expect(laneEvents(project, 'checkpoint.failed')).not.toEqual([]);

    disk.empty();
    await expectGoesOn(project, run);
  },
);

onSmallDisk(`C2: a validation that fails on a full disk is no verdict${skipped}`, async () => {
  const disk = smallDisk(192);
  const project = laneProject({
    env: { LANEHOLD_HOME: join(disk.root, 'home') },
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      checks: { disk: [[{ sh: fillCommand(disk.root) }, { exit: 1 }], [{ exit: 0 }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check disk' });
  await run.spawn();
  await run.reaches('a', 'parked');
  expect(run.lane('a').attempt).toMatchObject({
    end_reason: 'parked',
    end_cause: 'disk',
  });
  expect(run.lane('a').validations).toEqual([]);
  expectWell(project);
  await expect(run.orchestrate('verify', 'a')).rejects.toThrow('cannot be verified now');

  disk.empty();
  await run.orchestrate('verify', 'a');
  expect(run.lane('a').state).toBe('verified');
  expect(project.starts('a')).toHaveLength(1);
  expectWell(project);
});

onSmallDisk(
  `C2: without a reserve a supervisor waits for room to write down what happened${skipped}`,
  async () => {
    const disk = smallDisk(100);
    const home = join(disk.root, 'home');
    const scenario = filling(disk, [{ hang: true }]);
    const project = laneProject({ env: { LANEHOLD_HOME: home }, scenario });
    const run = await begun(project);
    await project.until(
      'the end of the worker',
      () =>
        disk.freeBytes() < 65_536 &&
        !project.starts('a').some(({ pid, start }) => statOf(pid)?.start === start),
    );
    expect(reserveOf(home)).toBe(0);
    // Nobody could write; it is still in charge, and says so as soon as it can.
    expect(run.lane('a').attempt?.state).toBe('running');
    expect(attemptProcess(project, 'a', 'supervisor')).toBeDefined();

    disk.empty();
    await run.reaches('a', 'parked');
    expect(run.lane('a').attempt).toMatchObject({
      epoch: 1,
      end_cause: 'disk',
    });
    await run.orchestrate('resume', 'a');
    await run.reaches('a', 'verified');
    expectWell(project);
  },
);

onSmallDisk(
  `C2: a worker alone on a full disk is ended by the next who looks, who is shown the run${skipped}`,
  async () => {
    const disk = smallDisk(192);
    const home = join(disk.root, 'home');
    const project = laneProject({
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
    const run = await begun(project);
    await project.until(
      'half',
      () => project.isRaised('half') && run.lane('a').attempt?.state === 'running',
    );
    await kill(project, 'a', ['supervisor']);
    project.raise('alone');
    await project.until('a full disk', () => project.isRaised('full') || disk.freeBytes() < 65_536);
    expect(disk.freeBytes()).toBeLessThan(MEBIBYTE);
    const status = await project.lanehold('orchestrate', 'status');
    expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('running') });
    expect(project.starts('a')).toHaveLength(1);

    await run.looksUntil('somebody to take it over', () => run.lane('a').state === 'parked');
    await expectParked(project, run);
    disk.empty();
    await expectGoesOn(project, run);
  },
);

onSmallDisk(
  `C2: what fills every disk that it is given goes on only for somebody who asks${skipped}`,
  async () => {
    const disk = smallDisk(192);
    const project = laneProject({
      env: { LANEHOLD_HOME: join(disk.root, 'home') },
      scenario: { lanes: { a: [[{ sh: fillCommand(disk.root) }, { hang: true }]] } },
    });
    const run = laneRun(project);
    await run.init('Try lanes', '--attempts', '2');
    await run.add('a');
    await run.spawn();
    const parked = (n: number) => () =>
      run.lane('a').attempt?.n === n && run.lane('a').state === 'parked';
    await project.until('a park', parked(1));
    disk.empty();
    await run.reconcile();
    await project.until('another park', parked(2));
    disk.empty();
    await run.reconcile();
    expect(run.lane('a')).toMatchObject({ state: 'parked', attempt: { n: 2 } });
    expectWell(project);
  },
);
