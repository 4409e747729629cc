/** Stores the redacted output of a smoke test: all of it on disk, its end in the evidence. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { redactAfter } from '../base/text/redact/redact.ts';

const PIECE_BYTES = 4 * 1024 * 1024;
const TAIL_CHARS = 4_000;
/** A private key may continue in the next piece. */
const LONGEST_KEY = 16 * 1024;

/** Replaces `file` by its redacted text, which is read in pieces of whole lines. */
export function keepRedacted(file: string) {
  const hash = createHash('sha256');
  const redacted = `${file}.redacted`;
  const from = openSync(file, 'r');
  const to = openSync(redacted, 'w', 0o600);
  let bytes = 0;
  let tail = '';
  let before = '';
  try {
    for (const piece of pieces(from)) {
      const kept = Buffer.from(redactAfter(before, piece), 'utf8');
      before = piece.slice(-LONGEST_KEY);
      hash.update(kept);
      bytes += kept.length;
      for (let at = 0; at < kept.length; ) at += writeSync(to, kept, at);
      tail = (tail + kept.toString('utf8')).slice(-TAIL_CHARS);
    }
    // The file is synced because the record with its digest will be.
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
  rmSync(file);
  renameSync(redacted, file);
  return { bytes, digest: hash.digest('hex'), tail };
}

function* pieces(fd: number): Generator<string> {
  let rest = Buffer.alloc(0);
  for (;;) {
    const chunk = Buffer.allocUnsafe(PIECE_BYTES);
    const read = readSync(fd, chunk);
    const all = Buffer.concat([rest, chunk.subarray(0, read)]);
    if (read === 0) {
      if (all.length > 0) yield all.toString('utf8');
      return;
    }
    const lineEnd = all.lastIndexOf('\n') + 1;
    const end = lineEnd === 0 ? all.length : lineEnd;
    yield all.toString('utf8', 0, end);
    rest = all.subarray(end);
  }
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const KEPT_BYTES = 512 * 1024 * 1024;

/** Deletes outputs that are older than 30 days, and the oldest if there are more than 512 MB. */
export function pruneOutputs(folder: string, now: Date): void {
  const outputs = readdirSync(folder, { withFileTypes: true })
    .filter((it) => it.isFile() && it.name.endsWith('.log'))
    .map(({ name }) => {
      const path = join(folder, name);
      const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      return { path, size, mtimeMs };
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const { path, size, mtimeMs } of outputs) {
    bytes += size;
    const isOld = now.getTime() - mtimeMs > KEPT_MS;
    if (isOld || bytes > KEPT_BYTES) rmSync(path, { force: true });
  }
}
