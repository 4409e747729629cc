/**
 * Slots limit how many workers, validations and setups run at once on this machine, for all projects
 * that share one LANEHOLD_HOME. A slot is a lock file: it becomes free when its holder ends in any
 * way, and stays taken while its holder is stopped.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { onChange } from '../files/on-change.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from './held-lock.ts';
import { processEntry } from './process-entry.ts';

export type SlotKind = 'worker' | 'validate' | 'setup';

export type Slot = Pick<HeldLock, 'release'>;

export interface SlotWish {
  readonly kind: SlotKind;
  readonly count: number;
  /** The higher goes first; equal ones in the order of arrival. */
  readonly priority: number;
}

/** A slot that is released, and a place in the queue that is given up, show in the folder; the end of a killed holder does not. */
const RHYTHM = { leastMs: 10, mostMs: 1_000 };

/**
 * Waits for a slot.
 *
 * @param locks the folder `locks` of LANEHOLD_HOME.
 * @throws the signal's reason once it is aborted.
 */
export async function waitForSlot(
  locks: string,
  wish: SlotWish,
  signal: AbortSignal,
): Promise<Slot> {
  signal.throwIfAborted();
  const queue = queueFolder(locks);
  const name = ticketOf(wish);
  const place = takePlace(join(queue, name));
  const { promise, resolve, reject } = Promise.withResolvers<Slot>();
  const look = (): void => {
    try {
      const slot = isNext(queue, name) ? takeFreeSlot(locks, wish) : undefined;
      if (slot !== undefined) resolve(slot);
    } catch (error) {
      reject(error);
    }
  };
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  const stop = onChange([queue], RHYTHM, look);
  look();
  try {
    return await promise;
  } finally {
    stop();
    signal.removeEventListener('abort', abort);
    place.discard();
  }
}

/** Takes a slot for a running process: at once, and beyond the count if need be. Others that wait count it. */
export function adoptSlot(locks: string, kind: SlotKind): Slot {
  for (let n = 0; ; n += 1) {
    const slot = takeSlot(locks, kind, n);
    if (slot !== undefined) return slot;
  }
}

/** How many slots of a kind are held now, by whatever count they were taken. */
export function heldSlots(locks: string, kind: SlotKind): number {
  const folder = slotFolder(locks);
  const isSlot = new RegExp(`^${kind}-\\d+\\.lock$`);
  const files = readdirSync(folder).filter((name) => isSlot.test(name));
  return files.filter((name) => probeLock(join(folder, name)) === 'held').length;
}

/** This many keep the cores busy without swapping. */
export const defaultSlots = (): Record<SlotKind, number> =>
  slotsFor({ cores: availableParallelism(), freeBytes: process.availableMemory() });

/**
 * Workers mostly wait for their model and need some hundred megabytes; validations use whole cores
 * and the memory of a build; setups wait for disk and network.
 */
export function slotsFor({ cores, freeBytes }: Record<'cores' | 'freeBytes', number>) {
  const fitting = (gibibytes: number): number => freeBytes / (gibibytes * 1024 ** 3);
  const atLeastOne = (...limits: readonly number[]): number =>
    Math.max(1, Math.floor(Math.min(...limits)));
  return {
    worker: atLeastOne(2 * cores, fitting(0.75), 16),
    validate: atLeastOne((cores + 1) / 2, fitting(2), 8),
    setup: atLeastOne((cores + 1) / 2, fitting(1), 4),
  };
}

function slotFolder(locks: string): string {
  const folder = join(locks, 'slots');
  makePrivateFolder(folder);
  return folder;
}

function queueFolder(locks: string): string {
  const folder = join(slotFolder(locks), 'queue');
  makePrivateFolder(folder);
  return folder;
}

function takeFreeSlot(locks: string, { kind, count }: SlotWish): Slot | undefined {
  // Counts all of them: other processes may use a larger count, or have adopted slots beyond it.
  if (heldSlots(locks, kind) >= count) return undefined;
  for (let n = 0; n < count; n += 1) {
    const slot = takeSlot(locks, kind, n);
    if (slot !== undefined) return slot;
  }
  return undefined;
}

function takeSlot(locks: string, kind: SlotKind, n: number): Slot | undefined {
  const file = join(slotFolder(locks), `${kind}-${n}.lock`);
  // Probing is quick; trying to take a held lock waits.
  const lock = probeLock(file) === 'held' ? undefined : takeLock(file);
  return (
    lock && {
      release() {
        lock.release();
        // Those who wait watch this folder.
        attempt(() => utimesSync(queueFolder(locks), new Date(), new Date()));
      },
    }
  );
}

/**
 * Each kind has a queue of its own. A place in it vanishes with its owner: it is a lock file whose name
 * says all, in the order in which the names are sorted. A file whose lock is free is deleted by the next
 * process that sees it.
 */
function ticketOf({ kind, priority }: SlotWish): string {
  const rank = PRIORITIES - Math.max(-PRIORITIES, Math.min(Math.trunc(priority), PRIORITIES));
  // The machine's monotonic clock: the same for all processes; a reboot ends the queue anyway.
  const since = process.hrtime.bigint();
  const [first, second] = [`${rank}`.padStart(8, '0'), `${since}`.padStart(20, '0')];
  return `${kind}.${first}.${second}.${process.pid}.${randomBytes(4).toString('hex')}`;
}

/** Priorities beyond are equal. */
const PRIORITIES = 1_000_000;

/** True if no process that can run is before this one. */
function isNext(queue: string, name: string): boolean {
  const [kind = ''] = name.split('.', 1);
  const places = readdirSync(queue).filter((it) => it.startsWith(`${kind}.`));
  return places.sort().find((it) => it === name || canRun(queue, it)) === name;
}

function takePlace(file: string): HeldLock {
  for (;;) {
    const lock = takeLock(file);
    // The lock is held only by a process that takes the file for a leftover and deletes it.
    if (lock !== undefined) return lock;
  }
}

function canRun(queue: string, name: string): boolean {
  const file = join(queue, name);
  const state = probeLock(file);
  if (state === 'missing') return false;
  if (state === 'free') {
    // Locked before it is deleted, because its owner may be about to lock it.
    takeLock(file)?.discard();
    return false;
  }
  // A stopped process is passed over; once it continues it is the first again.
  return processEntry(Number(name.split('.')[3]))?.state !== 'stopped';
}
