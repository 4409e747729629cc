/** Whether the disks that lanes write to have room for them. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { freeBytes } from '../store/reserve.ts';
import type { Run } from '../store/runs.ts';
import type { LaneContext } from './context.ts';

/** With less nobody works: what follows from work has to be written down, too. */
const TO_WORK = 64 * 1024 ** 2;

/** What has run out once goes on by itself when there is clearly more. */
const TO_GO_ON = 2 * TO_WORK;

/** Where lanehold, the worker, and git write; on as many disks. */
export function foldersOf({ store }: LaneContext, run: Run, worktree: string): readonly string[] {
  return [store.home.root, worktree, join(run.commonDir, 'objects')];
}

/** How little is left where there is too little, in words; `undefined`: enough everywhere. */
export function shortage(folders: readonly string[], enough = TO_WORK): string | undefined {
  for (const folder of folders) {
    const free = freeBytes(existing(folder));
    if (free < enough)
      return `${Math.floor(free / 1024 ** 2)} MiB are free on the disk of ${folder}`;
  }
  return undefined;
}

/** What failed here may have failed for that. @throws {ExplainedError} */
export function assertDiskSpace(folders: readonly string[]): void {
  const short = shortage(folders);
  if (short !== undefined) throw new ExplainedError(short, { hint: 'make room, then try again' });
}

export const hasDiskSpaceAgain = (folders: readonly string[]): boolean =>
  shortage(folders, TO_GO_ON) === undefined;

/** What is not there yet will be on the disk of the folder that it is made in. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
