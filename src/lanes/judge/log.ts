/** The log of a validation as evidence: an excerpt of it, and whether it is unchanged. */
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { endOfFile, openPlainFile, startOfFile } from '../../base/files/plain-file.ts';
import type { Validation } from '../../store/lane-validations.ts';

const HEAD_BYTES = 2_000;
const TAIL_BYTES = 4_000;

/** The beginning and the end, in whole lines where possible; reads no more. Empty if the log is gone. */
export function logText(path: string): string {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= HEAD_BYTES + TAIL_BYTES) return startOfFile(path, size).toString('utf8');
  const head = wholeAtStart(startOfFile(path, HEAD_BYTES));
  const tail = wholeAtEnd(endOfFile(path, TAIL_BYTES));
  return `${head.toString('utf8')}\n…\n${tail.toString('utf8')}`;
}

/** Whole lines, else whole characters. */
function wholeAtStart(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('\n') + 1;
  return end > 0 ? bytes.subarray(0, end) : Buffer.from(new StringDecoder('utf8').write(bytes));
}

function wholeAtEnd(bytes: Buffer): Buffer {
  const start = bytes.indexOf('\n') + 1;
  const isLine = start > 0 && start < bytes.length;
  return bytes.subarray(isLine ? start : bytes.findIndex((byte) => (byte & 0xc0) !== 0x80));
}

/** Size and time of a log's file, which are stored with its digest; `null` if there is no file. */
export function logStamp(path: string): Pick<Validation, 'logBytes' | 'logChangedAt'> {
  const { size = null, mtimeMs } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
  return { logBytes: size, logChangedAt: mtimeMs === undefined ? null : new Date(mtimeMs) };
}

export async function verifyLog(path: string, sha256: string) {
  const fd = openPlainFile(path);
  if (fd === undefined) return 'missing';
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { fd })) hash.update(piece);
  return hash.digest('hex') === sha256 ? 'intact' : 'changed';
}
