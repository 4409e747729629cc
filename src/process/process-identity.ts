/**
 * Identifies a process by more than its pid, because pids are used again, after a reboot at once.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';
import { processEntry } from './process-entry.ts';
import { systemOutput } from './run-sync.ts';

export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly bootId: string;
}

let known: string | undefined;

/** Differs after each boot; all containers of a machine have the same. */
export function bootId(): string {
  known ??= readBootId();
  return known;
}

function readBootId(): string {
  if (process.platform === 'linux') {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  }
  // Unlike the time of the boot it does not change when the clock is set.
  return systemOutput('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

/** Undefined if there is no such process, or it is a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = processEntry(pid);
  if (entry === undefined || entry.state === 'ended') return undefined;
  return { pid, start: entry.start, bootId: bootId() };
}

export function isAlive(it: ProcessIdentity): boolean {
  const state = stateOf(it);
  return state === 'runs' || state === 'stopped';
}

/** Alive, but stopped by a signal: it keeps its locks and does nothing. */
export function isStopped(it: ProcessIdentity): boolean {
  return stateOf(it) === 'stopped';
}

/**
 * Sends a signal to this process; false if it does not exist any more. For another process to get it,
 * all pids would have to be used up in the microseconds between the check and the signal.
 */
export function signalProcess(it: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(it) && sendSignal(it.pid, signal);
}

/** @param target a pid, or less than zero for a group. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    const code = codeOf(error);
    // It has ended meanwhile, or changed its user.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function stateOf({ pid, start, bootId: boot }: ProcessIdentity) {
  if (boot !== bootId()) return 'ended';
  const entry = processEntry(pid);
  return entry?.start === start ? entry.state : 'ended';
}
