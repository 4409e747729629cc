/**
 * Stamps of files: a text that is another one after a file was written, replaced, removed or made. They
 * contain ctime, because programs can set mtime.
 */
import { statSync } from 'node:fs';
import { attempt } from '../errors.ts';

const NONE = '-';

/** Some file systems count time in steps of this length. */
const TIME_STEP_NS = 2_000_000_000n;

/** @returns a stamp of what is at the paths, behind links; and whether all of it is older than a step of time. */
export function stampOf(paths: readonly string[], now: number) {
  const newest = BigInt(now) * 1_000_000n - TIME_STEP_NS;
  let isOld = true;
  const stamps = paths.map((path) => {
    const stats = attempt(() => statSync(path, { throwIfNoEntry: false, bigint: true }) ?? NONE);
    if (stats === NONE) return NONE;
    // It cannot be looked at.
    if (stats === undefined) isOld = false;
    const { ctimeNs = newest, mtimeNs = newest, dev, ino, size } = stats ?? {};
    // What is written again within the same step of time may have the same stamp.
    if (ctimeNs >= newest || mtimeNs >= newest) isOld = false;
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  });
  return { stamp: stamps.join('\n'), isOld };
}
