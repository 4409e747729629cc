/**
 * Who is next: places in a queue that vanish with whoever took them. A place is a lock file whose
 * name says all that the order depends on; once its lock is free, anybody clears it away.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../store/held-lock.ts';
import { processEntry } from './process-entry.ts';

export interface QueuePlace {
  /** Whether nobody is before us who could go. */
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

/** @param kind a word in small letters: those of another kind are in another queue. */
export function joinQueue(folder: string, kind: string, priority: number): QueuePlace {
  // Of the machine, not of the process or the wall: it never goes back, and a reboot ends the queue.
  const since = process.hrtime.bigint();
  const id = randomBytes(4).toString('hex');
  const name = `${kind}.${Math.trunc(priority)}.${since}.${process.pid}.${id}`;
  let lock = takePlace(folder, name);
  return {
    isNext() {
      // Somebody has cleaned up the folder. The name keeps the place.
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
    // It can only be somebody who takes it for a leftover, and is about to delete it.
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
    // Taken before it is deleted, lest its owner is just about to take it.
    takeLock(file)?.discard();
    return false;
  }
  // Others do not wait for one that cannot move; when it can, it is the first again.
  return processEntry(pid)?.state !== 'stopped';
}

function ticketOf(name: string): Ticket | undefined {
  const [, kind, priority, since, pid] =
    /^([a-z]+)\.(-?\d+)\.(\d+)\.(\d+)\.[0-9a-f]+$/.exec(name) ?? [];
  if (kind === undefined || since === undefined) return undefined;
  return { name, kind, priority: Number(priority), since: BigInt(since), pid: Number(pid) };
}

/** The more important first, then the earlier. */
function inOrder(a: Ticket, b: Ticket): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
