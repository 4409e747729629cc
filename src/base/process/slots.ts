/**
 * Slots limit how many workers, validations and setups run at once on this machine, for all projects
 * that share one LANEHOLD_HOME. A slot is a lock file: it becomes free when its holder ends in any
 * way, and stays taken while its holder is stopped.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { codeOf } from '../errors.ts';
import { readJsonFile, writeJsonFile } from '../files/json-file.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from './held-lock.ts';
import { identityOf, isAlive, isStopped, processEntry } from './process-entry.ts';

const KINDS = ['worker', 'validate', 'setup'] as const;
export type SlotKind = (typeof KINDS)[number];

export interface Slot {
  readonly kind: SlotKind;
  readonly n: number;
  release(): void;
}

export interface SlotWish {
  readonly kind: SlotKind;
  /** Number of slots of the kind. */
  readonly count: number;
  /** The higher goes first; equal ones in the order of arrival. */
  readonly priority: number;
  /** Shown to people. */
  readonly owner: string;
}

const POLL_MS = 100;

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
  const place = joinQueue(join(slotFolder(locks), 'queue'), wish.kind, wish.priority);
  try {
    for (;;) {
      const slot = place.isNext() ? takeFreeSlot(locks, wish) : undefined;
      if (slot !== undefined) return slot;
      await delay(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } finally {
    place.leave();
  }
}

/**
 * Takes a slot for a process that runs already: at once, and beyond the count if need be. Others that
 * wait count it as taken.
 */
export function adoptSlot(
  locks: string,
  { kind, owner }: Omit<SlotWish, 'count' | 'priority'>,
): Slot {
  const folder = slotFolder(locks);
  for (let n = 0; ; n += 1) {
    const slot = takeSlot(folder, { kind, owner }, n);
    if (slot !== undefined) return slot;
  }
}

interface NotedHolder {
  readonly owner: string;
  /** 0, with an unknown owner, between taking the lock and writing the note. */
  readonly pid: number;
  readonly stopped: boolean;
}

export interface SlotHolder extends NotedHolder {
  readonly kind: SlotKind;
  readonly n: number;
}

/** The slots that are held now. */
export function slotHolders(locks: string): SlotHolder[] {
  const folder = join(locks, 'slots');
  return slotsIn(folder)
    .filter(({ kind, n }) => probeLock(lockFile(folder, kind, n)) === 'held')
    .map(({ kind, n }) => ({ kind, n, ...notedHolder(noteFile(folder, kind, n)) }));
}

/** As many as keep the cores busy without swapping. */
export function defaultSlots(): Record<SlotKind, number> {
  return slotsFor({ cores: availableParallelism(), freeBytes: process.availableMemory() });
}

interface Machine {
  readonly cores: number;
  readonly freeBytes: number;
}

/**
 * Workers mostly wait for their model and need some hundred megabytes; validations use whole cores
 * and the memory of a build; setups wait for disk and network.
 */
export function slotsFor({ cores, freeBytes }: Machine): Record<SlotKind, number> {
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

function lockFile(folder: string, kind: SlotKind, n: number): string {
  return join(folder, `${kind}-${n}.lock`);
}

function slotsIn(folder: string): { kind: SlotKind; n: number }[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, word, n] = /^([a-z]+)-(\d+)\.lock$/.exec(name) ?? [];
      const kind = KINDS.find((it) => it === word);
      return kind === undefined ? [] : [{ kind, n: Number(n) }];
    })
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.n - b.n);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function takeFreeSlot(locks: string, wish: SlotWish): Slot | undefined {
  const folder = slotFolder(locks);
  const held = slotsIn(folder).filter(
    ({ kind, n }) => kind === wish.kind && probeLock(lockFile(folder, kind, n)) === 'held',
  );
  // Counts all of them: other processes may use a larger count, or have adopted slots beyond it.
  if (held.length >= wish.count) return undefined;
  for (let n = 0; n < wish.count; n += 1) {
    const slot = takeSlot(folder, wish, n);
    if (slot !== undefined) return slot;
  }
  return undefined;
}

function takeSlot(
  folder: string,
  { kind, owner }: Pick<SlotWish, 'kind' | 'owner'>,
  n: number,
): Slot | undefined {
  const file = lockFile(folder, kind, n);
  // Probing is quick; trying to take a held lock waits.
  if (probeLock(file) === 'held') return undefined;
  const lock = takeLock(file);
  if (lock === undefined) return undefined;
  try {
    noteHolder(noteFile(folder, kind, n), owner);
  } catch (error) {
    lock.release();
    throw error;
  }
  return { kind, n, release: () => releaseSlot(folder, kind, n, lock) };
}

function releaseSlot(folder: string, kind: SlotKind, n: number, lock: HeldLock): void {
  // If the lock file was replaced, the note belongs to another holder.
  if (lock.isInPlace()) rmSync(noteFile(folder, kind, n), { force: true });
  lock.release();
}

function noteFile(folder: string, kind: SlotKind, n: number): string {
  return join(folder, `${kind}-${n}.json`);
}

/** Written beside the lock file, which may not be opened. Valid only while the lock is held. */
const Note = z.object({ owner: z.string(), pid: z.int(), start: z.string(), bootId: z.string() });

function noteHolder(file: string, owner: string): void {
  writeJsonFile(file, { owner, ...identityOf(process.pid) });
}

function notedHolder(file: string): NotedHolder {
  const note = readJsonFile(file, Note);
  // Missing, or left by an earlier holder that was killed.
  if (typeof note === 'string' || !isAlive(note))
    return { owner: 'unknown', pid: 0, stopped: false };
  return { owner: note.owner, pid: note.pid, stopped: isStopped(note) };
}

/**
 * A place in a queue vanishes with its owner: it is a lock file whose name contains all that the
 * order depends on. A file whose lock is free is deleted by the next process that sees it.
 */
interface QueuePlace {
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
function joinQueue(folder: string, kind: string, priority: number): QueuePlace {
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
