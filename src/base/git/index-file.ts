/**
 * Reads an index that git has just made for a few files: another start of git would take longer than all of it.
 *
 * @see https://git-scm.com/docs/index-format
 */
import type { TreeEntry } from './tree-entry.ts';

const HEADER_BYTES = 12;
/** An entry has its mode at this byte, and its oid behind the numbers that stat gave for the file. */
const MODE_AT = 24;
const OID_AT = 40;
/** The entries of versions 2 and 3 end with NULs, so that each has a multiple of this. */
const ALIGNED_BYTES = 8;
const EXTENDED = 0x4000;

/**
 * The entries of an index without a merge.
 *
 * @param oidBytes 20 or 32, by the repository's hash.
 * @returns `undefined` for a version whose paths are compressed.
 */
export function indexFileEntries(bytes: Buffer, oidBytes: number): TreeEntry[] | undefined {
  const version = bytes.toString('latin1', 0, 4) === 'DIRC' ? bytes.readUInt32BE(4) : 0;
  if (version !== 2 && version !== 3) return undefined;
  const entries: TreeEntry[] = [];
  let start = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = start + OID_AT + oidBytes;
    const pathAt = flagsAt + (bytes.readUInt16BE(flagsAt) & EXTENDED ? 4 : 2);
    const end = bytes.indexOf(0, pathAt);
    entries.push({
      mode: bytes.readUInt32BE(start + MODE_AT).toString(8),
      oid: bytes.toString('hex', start + OID_AT, flagsAt),
      path: bytes.toString('utf8', pathAt, end),
    });
    start += Math.ceil((end + 1 - start) / ALIGNED_BYTES) * ALIGNED_BYTES;
  }
  return entries;
}
