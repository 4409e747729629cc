/**
 * Which process is meant: a pid alone is given to another one sooner or later, and after a reboot at
 * once.
 */
import { readFileSync } from 'node:fs';
import { processEntry } from './process-entry.ts';
import { systemOutput } from './run-sync.ts';

export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly bootId: string;
}

let known: string | undefined;

/** Another one after each start of the machine, the same for all of its containers. */
export function bootId(): string {
  known ??= readBootId();
  return known;
}

function readBootId(): string {
  if (process.platform === 'linux') {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  }
  // Unlike the time of the start, it does not move when the clock is set.
  return systemOutput('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

/** Undefined if there is no such process, or it has ended and only waits to be collected. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = processEntry(pid);
  if (entry === undefined || entry.state === 'ended') return undefined;
  return { pid, start: entry.start, bootId: bootId() };
}

export function isAlive(it: ProcessIdentity): boolean {
  const state = stateOf(it);
  return state === 'runs' || state === 'stopped';
}

/** Alive, and stopped by a signal: it holds what it holds, and does nothing. */
export function isStopped(it: ProcessIdentity): boolean {
  return stateOf(it) === 'stopped';
}

/**
 * Sends a signal to this very process, or to nobody; false means nobody. Between the look and the
 * signal lie microseconds, in which all other pids would have to be used up.
 */
export function signalProcess(it: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(it) && sendSignal(it.pid, signal);
}

/** @param target a pid, or less than zero for a group. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // It ended in between, or became another user's.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function stateOf({ pid, start, bootId: boot }: ProcessIdentity) {
  if (boot !== bootId()) return 'ended';
  const entry = processEntry(pid);
  return entry?.start === start ? entry.state : 'ended';
}
