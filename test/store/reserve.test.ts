import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProblems } from '../../src/app/setup/doctor-lanes.ts';
import { type Home, homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { keepReserve, onReserve, spendReserve } from '../../src/store/reserve.ts';
import { boardRows } from '../support/board-rows.ts';
import { command } from '../support/command.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { NO_SMALL_DISK, smallDisk } from '../support/small-disk.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const SIZE = 16 * 1024 ** 2;
const skipped = NO_SMALL_DISK === undefined ? '' : ` (skipped: ${NO_SMALL_DISK})`;
const onSmallDisk = test.skipIf(NO_SMALL_DISK !== undefined);

const reserve = ({ root }: Home): string => join(root, 'reserve');

/** A store with its reserve, on a disk of this many megabytes. */
async function stored(mebibytes: number) {
  const disk = smallDisk(mebibytes);
  const box: Sandbox = sandbox();
  box.env.LANEHOLD_HOME = join(disk.root, 'home');
  const home = homeOf(box.env);
  const store = await openStore(home);
  keepReserve(home);
  return { disk, box, home, store };
}

test('takes real blocks, for its owner alone, once', async () => {
  const box = sandbox();
  const home = homeOf(box.env);
  (await openStore(home)).close();
  keepReserve(home);
  const made = statSync(reserve(home));
  expect(made.size).toBe(SIZE);
  expect(made.blocks * 512).toBeGreaterThanOrEqual(SIZE);
  expect(made.mode & 0o777).toBe(0o600);
  keepReserve(home);
  expect(statSync(reserve(home)).ino).toBe(made.ino);

  expect(spendReserve(home)).toBe(true);
  expect(spendReserve(home)).toBe(false);
  keepReserve(home);
  expect(statSync(reserve(home)).size).toBe(SIZE);
});

onSmallDisk(`is not made where it would be what is missing${skipped}`, async () => {
  const { home, store } = await stored(120);
  expect(existsSync(reserve(home))).toBe(false);
  store.close();
});

onSmallDisk(`gives a full disk the room for what has to be written${skipped}`, async () => {
  const { disk, home, store } = await stored(160);
  disk.fill();
  // Until the log of the database has no page left that could be written again.
  const write = (to: typeof store) => {
    for (let n = 0; n < 100; n += 1) {
      to.write(() => projectStore(to).ensure(`/${n}/${'x'.repeat(50_000)}`, NOW));
    }
  };
  expect(() => write(store)).toThrow('the disk is full');
  expect(existsSync(reserve(home))).toBe(true);
  write(onReserve(store));
  expect(existsSync(reserve(home))).toBe(false);
  expect(store.db.pragma('integrity_check', { simple: true })).toBe('ok');
  store.close();
});

onSmallDisk(`lets a store be opened on a full disk, once${skipped}`, async () => {
  const { disk, home, store } = await stored(160);
  store.close();
  disk.fill();
  const again = await openStore(home);
  expect(again.db.pragma('quick_check', { simple: true })).toBe('ok');
  expect(existsSync(reserve(home))).toBe(false);
  again.close();
  rmSync(join(disk.root, 'ballast'));
  disk.fill();
  await expect(openStore(home)).rejects.toThrow(/the disk is full|cannot be opened/);
});

onSmallDisk(
  `is made again by \`orchestrate gc\`, and doctor says what a full disk stops${skipped}`,
  async () => {
    const { disk, box, home, store } = await stored(160);
    store.close();
    const rows = await boardRows(box);
    rows.verified('api');
    expect(await laneProblems(rows.context)).toEqual([]);
    disk.fill();
    spendReserve(home);
    const [found, ...others] = await laneProblems(rows.context);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      state: 'warning',
      fact: expect.stringMatching(
        /^1[56] MiB are free on the disk of .*: no lane works there, and the reserve is used up$/,
      ),
      hint: expect.stringContaining('orchestrate gc'),
    });
    const gc = (...more: string[]) => command(box, rows.repo, ['orchestrate', 'gc', ...more]);
    expect((await gc()).exitCode).toBe(0);
    expect(existsSync(reserve(home))).toBe(false);
    disk.empty();
    await gc('--dry-run');
    expect(existsSync(reserve(home))).toBe(false);
    await gc();
    expect(existsSync(reserve(home))).toBe(true);
  },
);
