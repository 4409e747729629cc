/**
 * Signs between a lane's worker and everybody else, as the times of two small files in the attempt's
 * directory: `heartbeat` says that the worker called a tool, `news` that there is something to tell
 * it. Both are stamped by the kernel's clock, so that one can be compared with the other.
 */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HEARTBEAT = 'heartbeat';
const NEWS = 'news';

/**
 * The worker's next tool call looks what there is to tell. Call it after the transaction that wrote
 * the answer or the conflict.
 *
 * @param dir of the attempt; one that is gone has nobody who listens.
 */
export function touchNews(dir: string): void {
  stamp(join(dir, NEWS));
}

/**
 * Notes that the worker is alive, and says whether something was put up for it since the last time.
 * May say so twice: who tells notes what was told.
 */
export function heartbeat(dir: string): 'news' | 'nothing' {
  const last = changedAt(join(dir, HEARTBEAT)) ?? 0n;
  stamp(join(dir, HEARTBEAT));
  const news = changedAt(join(dir, NEWS));
  return news !== undefined && news >= last ? 'news' : 'nothing';
}

function stamp(file: string): void {
  attempt(() => writeFileSync(file, '\n', { mode: 0o600 }));
}

function changedAt(file: string): bigint | undefined {
  return attempt(() => statSync(file, { bigint: true, throwIfNoEntry: false }))?.mtimeNs;
}

/** A full disk or a directory that is gone costs a sign of life, never a tool call. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
