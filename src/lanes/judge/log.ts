/** The log of a validation as evidence: an excerpt of it, and whether it is unchanged. */
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync } from 'node:fs';
import { endOfFile, openPlainFile, startOfFile } from '../../base/files/plain-file.ts';
import type { Validation, ValidationRunRecord } from '../../store/lane-validations.ts';

const HEAD_BYTES = 2_000;
const TAIL_BYTES = 4_000;

/** The beginning and the end, in whole lines where possible; the rest is not read. Empty if the log is gone. */
export function logText(path: string): string {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= HEAD_BYTES + TAIL_BYTES) return startOfFile(path, size).toString('utf8');
  const head = wholeText(startOfFile(path, HEAD_BYTES));
  const tail = wholeText(endOfFile(path, TAIL_BYTES));
  const lines = tail.slice(tail.indexOf('\n') + 1);
  return `${head.slice(0, head.lastIndexOf('\n') + 1) || head}\n…\n${lines || tail}`;
}

/** The text without characters that the cut has split. */
const wholeText = (bytes: Buffer): string =>
  bytes.toString('utf8').replace(/^\uFFFD+|\uFFFD+$/g, '');

/** Size and time of a log's file, stored with its digest; `null` if there is no file. */
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

/** The run that a verdict is about; later ones may have asked for less, as those with the tests of the base. */
export const runOf = (verdict: Validation | undefined): ValidationRunRecord | undefined =>
  verdict?.runs.find(({ logPath }) => logPath === verdict.logPath);
