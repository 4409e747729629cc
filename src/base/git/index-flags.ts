/**
 * Whether an index hides changes of the working tree from git. Its file is read here: a start of git takes
 * longer than that, and would list every file.
 *
 * @see https://git-scm.com/docs/index-format
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { projectPlace } from './project.ts';

const HEADER_BYTES = 12;
/** Times, numbers and the mode of a file, before its oid. */
const FACTS_BYTES = 40;
const ASSUME_UNCHANGED = 0x8000;
const IS_EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const LONG_NAME = 0xfff;
const LOWER_A = 0x61;

/**
 * @param directory root of the working tree.
 * @param oidDigits how many an oid has in this repository.
 * @returns also true where that cannot be told.
 */
export function mayHideChanges(directory: string, oidDigits: number): boolean {
  const { gitDir } = projectPlace(directory);
  if (gitDir === undefined) return true;
  const index = attempt(() => readFileSync(join(gitDir, 'index')));
  return index === undefined || hides(index, oidDigits / 2);
}

function hides(index: Buffer, oidBytes: number): boolean {
  const version = index.length < HEADER_BYTES ? 0 : index.readUInt32BE(4);
  // A later version shortens the names.
  if (index.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return true;
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const next = afterPlainEntry(index, at, oidBytes);
    if (next === undefined) return true;
    at = next;
  }
  return hasNeededExtension(index, at, index.length - oidBytes);
}

/** Where the next entry begins; `undefined` if this one is not whole, or may hide a change. */
function afterPlainEntry(index: Buffer, at: number, oidBytes: number): number | undefined {
  const flagsAt = at + FACTS_BYTES + oidBytes;
  if (flagsAt + 4 > index.length) return undefined;
  const flags = shortAt(index, flagsAt);
  if ((flags & ASSUME_UNCHANGED) !== 0) return undefined;
  const isExtended = (flags & IS_EXTENDED) !== 0;
  if (isExtended && (shortAt(index, flagsAt + 2) & SKIP_WORKTREE) !== 0) return undefined;
  const nameAt = flagsAt + (isExtended ? 4 : 2);
  const named = flags & LONG_NAME;
  const end = named < LONG_NAME ? nameAt + named : index.indexOf(0, nameAt);
  // One to eight NULs fill it up.
  return at + ((end - at + 8) & ~7);
}

/** A method of the buffer would take several times as long, and there are thousands of entries. */
const shortAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 8) | (bytes[at + 1] as number);

/** One that has to be understood, as it tells of entries elsewhere, has a name in lower case. */
function hasNeededExtension(index: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at + 8 <= end) {
    if ((index[at] ?? 0) >= LOWER_A) return true;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at !== end;
}
