/** Whether the disks that lanes write to have enough free space. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import type { Run } from '../../store/lanes.ts';
import { freeBytes } from '../../store/reserve.ts';
import type { LaneContext } from '../spec/context.ts';

/** Without this space no attempt works, because recording its results needs some, too. */
const MIN_FREE = 64 * 1024 ** 2;

/** A lane that stopped for lack of space continues only with clearly more. */
const MIN_FREE_TO_RESUME = 2 * MIN_FREE;

/** The folders in which lanehold, the worker and git write; they may be on different disks. */
export function foldersOf({ store }: LaneContext, run: Run, worktree: string): readonly string[] {
  return [store.home.root, worktree, join(run.commonDir, 'objects')];
}

/** The first folder with too little space, in words; `undefined` if all have enough. */
export function shortage(folders: readonly string[], enough = MIN_FREE): string | undefined {
  for (const folder of folders) {
    const free = freeBytes(existing(folder));
    const mib = Math.floor(free / 1024 ** 2);
    if (free < enough) return `${mib} MiB are free on the disk of ${folder}`;
  }
  return undefined;
}

/** Call it after a failure: a full disk may be the cause. @throws {ExplainedError} */
export function assertDiskSpace(folders: readonly string[]): void {
  const short = shortage(folders);
  if (short) throw new ExplainedError(short, { hint: 'free disk space, then try again' });
}

export const hasDiskSpaceAgain = (folders: readonly string[]): boolean =>
  shortage(folders, MIN_FREE_TO_RESUME) === undefined;

/** A folder that does not exist yet will be on the disk of its nearest existing parent. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
