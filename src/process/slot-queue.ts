/**
 * A queue whose places vanish with their owners. A place is a lock file whose name contains all that
 * the order depends on. A file whose lock is free is deleted by the next process that sees it.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../store/held-lock.ts';
import { processEntry } from './process-entry.ts';

export interface QueuePlace {
  /** True if no process that can run is before this one. */
  isNext(): boolean;
  leave(): void;
}

interface Ticket {
  readonly name: string;
  readonly kind: string;
  readonly priority: number;
  readonly since: bigint;
  readonly pid: number;
}

/** @param kind lower-case word; each kind has a queue of its own. */
export function joinQueue(folder: string, kind: string, priority: number): QueuePlace {
  // The machine's monotonic clock: the same for all processes; a reboot ends the queue anyway.
  const since = process.hrtime.bigint();
  const id = randomBytes(4).toString('hex');
  const name = `${kind}.${Math.trunc(priority)}.${since}.${process.pid}.${id}`;
  let lock = takePlace(folder, name);
  return {
    isNext() {
      // The file was deleted. Making it again under the same name keeps the place.
      if (!lock.isInPlace()) {
        lock.release();
        lock = takePlace(folder, name);
      }
      return firstOf(folder, kind, name) === name;
    },
    leave: () => lock.discard(),
  };
}

function takePlace(folder: string, name: string): HeldLock {
  for (;;) {
    makePrivateFolder(folder);
    const lock = takeLock(join(folder, name));
    // The lock is held only by a process that takes the file for a leftover and deletes it.
    if (lock !== undefined) return lock;
  }
}

function firstOf(folder: string, kind: string, own: string): string {
  const queue = readdirSync(folder)
    .flatMap((name) => ticketOf(name) ?? [])
    .filter((it) => it.kind === kind)
    .sort(inOrder);
  return queue.find(({ name, pid }) => name === own || canGo(join(folder, name), pid))?.name ?? own;
}

function canGo(file: string, pid: number): boolean {
  const state = probeLock(file);
  if (state === 'missing') return false;
  if (state === 'free') {
    // Locked before it is deleted, because its owner may be about to lock it.
    takeLock(file)?.discard();
    return false;
  }
  // A stopped process is passed over; once it continues it is the first again.
  return processEntry(pid)?.state !== 'stopped';
}

function ticketOf(name: string): Ticket | undefined {
  const [, kind, priority, since, pid] =
    /^([a-z]+)\.(-?\d+)\.(\d+)\.(\d+)\.[0-9a-f]+$/.exec(name) ?? [];
  if (kind === undefined || since === undefined) return undefined;
  return { name, kind, priority: Number(priority), since: BigInt(since), pid: Number(pid) };
}

/** By priority, then by time. */
function inOrder(a: Ticket, b: Ticket): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
