/** The lease of a lane that belongs to another machine: written by whoever renews it, read by its supervisor. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { bootId } from '../../base/process/process-entry.ts';

const Lease = z.object({
  /** Milliseconds since the boot; the clock may stand still while the machine sleeps. */
  monotonicMs: z.number(),
  wallMs: z.number(),
  bootId: z.string(),
  leaseMs: z.number(),
});

/** A moment by both clocks: one stands still in a suspended machine, the other may be set. */
export const bothClocks = () => ({
  monotonicMs: Number(process.hrtime.bigint() / 1_000_000n),
  wallMs: Date.now(),
});

export type Moment = ReturnType<typeof bothClocks>;

/** The time since a moment of this boot, by the clock that says more. */
export function since({ monotonicMs, wallMs }: Moment): number {
  const now = bothClocks();
  return Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs);
}

const fileIn = (dir: string): string => join(dir, 'lease.json');

/** @param dir the folder of the lane. @param at when the renewal was asked for. */
export function writeLease(dir: string, at: Moment, leaseMs: number): void {
  makePrivateFolder(dir);
  writeJsonFile(fileIn(dir), { ...at, bootId: bootId(), leaseMs });
}

export const hasLease = (dir: string): boolean => existsSync(fileIn(dir));

/** Only of a lane that has one. */
export function renewLease(dir: string, at: Moment, leaseMs: number): void {
  if (hasLease(dir)) writeLease(dir, at, leaseMs);
}

/** A lane without a lease needs none. */
export const isLeaseOver = (dir: string): boolean => overdue(dir) !== undefined;

/** The length of a lease that is over. */
function overdue(dir: string): number | undefined {
  const lease = hasLease(dir) ? readJsonFile(fileIn(dir), Lease) : 'none';
  if (typeof lease === 'string') return undefined;
  const isOver = lease.bootId !== bootId() || since(lease) >= lease.leaseMs;
  return isOver ? lease.leaseMs : undefined;
}

/** Whoever renews it is given this much longer, or a third of the lease, to ask after a sleep of the machine. */
const MOST_GRACE_MS = 10_000;

/** @returns whether the lease is over and is not renewed any more. */
export function leaseWatch(dir: string): () => boolean {
  let overSince: number | undefined;
  return () => {
    const leaseMs = overdue(dir);
    overSince = leaseMs === undefined ? undefined : (overSince ?? performance.now());
    if (leaseMs === undefined || overSince === undefined) return false;
    return performance.now() - overSince > Math.min(MOST_GRACE_MS, leaseMs / 3);
  };
}
