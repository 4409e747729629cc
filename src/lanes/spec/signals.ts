/**
 * Two small files in the attempt's directory whose modification times signal between a worker and the rest: `heartbeat`
 * is touched when the worker calls a tool, `news` when there is news for it. Both times come from the kernel's clock,
 * so they can be compared.
 */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';

const HEARTBEAT = 'heartbeat';
const NEWS = 'news';

/**
 * Makes the worker's next tool call check for news. Call it after the transaction that stored them.
 *
 * @param dir the attempt's folder; nothing happens if it is gone.
 */
export function touchNews(dir: string): void {
  stamp(join(dir, NEWS));
}

/**
 * Records that the worker is alive, and returns whether there may be news since the last call. It may report the same
 * news twice: the caller stores what was delivered.
 */
export function heartbeat(dir: string): 'news' | 'nothing' {
  const last = changedAt(join(dir, HEARTBEAT)) ?? 0n;
  stamp(join(dir, HEARTBEAT));
  const news = changedAt(join(dir, NEWS));
  return news !== undefined && news >= last ? 'news' : 'nothing';
}

/** Whether a hook has seen a tool call of the worker. */
export const hasHeartbeat = (dir: string): boolean => changedAt(join(dir, HEARTBEAT)) !== undefined;

/** Touches a file. A full disk or a missing directory loses the signal, but never fails a tool call. */
function stamp(file: string): void {
  attempt(() => writeFileSync(file, '\n', { mode: 0o600 }));
}

function changedAt(file: string): bigint | undefined {
  return attempt(() => statSync(file, { bigint: true, throwIfNoEntry: false }))?.mtimeNs;
}
