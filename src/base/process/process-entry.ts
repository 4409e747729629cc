/** Reads the system's process table. Nothing is cached; any entry may be out of date at once. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { codeOf } from '../errors.ts';
import { sendSignal, systemOutput } from './run.ts';

/** Identifies a process by more than its pid, because pids are used again, after a reboot at once. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly bootId: string;
}

let known: string | undefined;

/** The id of this boot; all containers of a machine have the same. */
export function bootId(): string {
  // On macOS it is a UUID that, unlike the time of the boot, does not change when the clock is set.
  known ??= (
    process.platform === 'linux'
      ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
      : systemOutput('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])
  ).trim();
  return known;
}

/** The identity of a process; undefined if there is none, or it is a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = processEntry(pid);
  if (entry === undefined || entry.state === 'ended') return undefined;
  return { pid, start: entry.start, bootId: bootId() };
}

export function isAlive(it: ProcessIdentity): boolean {
  return stateOf(it) !== 'ended';
}

/** True if it is alive but stopped by a signal: it keeps its locks and does nothing. */
export function isStopped(it: ProcessIdentity): boolean {
  return stateOf(it) === 'stopped';
}

/**
 * Sends a signal to this process; false if it does not exist any more. Another process could only
 * get it if all pids were used up in the microseconds between the check and the signal.
 */
export function signalProcess(it: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(it) && sendSignal(it.pid, signal);
}

function stateOf({ pid, start, bootId: boot }: ProcessIdentity) {
  if (boot !== bootId()) return 'ended';
  const entry = processEntry(pid);
  return entry?.start === start ? entry.state : 'ended';
}

export interface ProcessEntry {
  readonly pid: number;
  /** Start time in the system's own unit; together with pid and boot id it names one process. */
  readonly start: string;
  readonly state: 'runs' | 'stopped' | 'ended';
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The processor time of it and its ended children; `undefined` if the system does not tell. */
  readonly ticks?: number;
}

/** The entry of a process; undefined if there is none. A zombie has an entry. */
export function processEntry(pid: number): ProcessEntry | undefined {
  return process.platform === 'linux' ? fromProc(pid) : ps(['-p', String(pid)])[0];
}

/** The position after the name, which may contain spaces and brackets: that of proc_pid_stat(5) less 3. */
const START_TICKS = 19;
const USE_TICKS = 11;
const MEMORY_BYTES = 20;
/** The place of the program's code in memory, which the system notes last when it starts one. */
const CODE = 23;
/** The place where it begins in memory, and then that where it ends. */
const ENVIRONMENT = 47;

function statOf(pid: number): string[] {
  const line = readProc(`/proc/${pid}/stat`)?.toString('latin1') ?? '';
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
}

/** The most readings of an environment, at least a millisecond apart while a program is being started. */
const MOST_READINGS = 100;

/**
 * Linux: the environment with which a program was started. While one is being started it shows none, so this waits for
 * it: an attempt's process would be missed.
 */
export function environmentOf(pid: number): Buffer | undefined {
  for (let readings = 1; ; readings += 1) {
    const bytes = readProc(`/proc/${pid}/environ`);
    if (bytes?.length !== 0 || readings === MOST_READINGS) return bytes;
    const fields = statOf(pid);
    const [start, end] = fields.slice(ENVIRONMENT, ENVIRONMENT + 2).map(Number);
    const isBeingStarted = fields[CODE] === '0';
    // A thread of the kernel and a zombie have no memory.
    if (!(Number(fields[MEMORY_BYTES]) > 0) || (!isBeingStarted && start === end)) return bytes;
    if (isBeingStarted) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
}

function fromProc(pid: number): ProcessEntry | undefined {
  const fields = statOf(pid);
  const [state = '', ...numbers] = fields;
  const start = fields[START_TICKS];
  if (start === undefined) return undefined;
  const [parent = 0, group = 0, session = 0] = numbers.slice(0, 3).map(Number);
  const ticks = fields.slice(USE_TICKS, USE_TICKS + 4).reduce((sum, it) => sum + Number(it), 0);
  return { pid, start, state: stateOfLetters(state), parent, group, session, ticks };
}

/** All processes of all users. */
export function processEntries(): ProcessEntry[] {
  if (process.platform !== 'linux') return ps(['-A']);
  return procIds().flatMap((pid) => fromProc(pid) ?? []);
}

/** Linux: the pids in `/proc`. */
export function procIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** One buffer for all files: a search reads hundreds, and a buffer for each would soon be megabytes. */
let buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** A file of a process, valid until the next call; undefined if the process is gone or may not be read. */
export function readProc(path: string): Buffer | undefined {
  try {
    const fd = openSync(path, 'r');
    try {
      for (let end = 0; ; ) {
        const bytes = readSync(fd, buffer, end, buffer.length - end, null);
        end += bytes;
        if (bytes === 0) return buffer.subarray(0, end);
        if (end === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(end)]);
      }
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (GONE_OR_FOREIGN.has(codeOf(error))) return undefined;
    throw error;
  }
}

const GONE_OR_FOREIGN: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** A line of `ps` on macOS, which has no `/proc`. `lstart` has five words: `Sun Nov 22 01:26:30 2026`. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)(?:\s+(.*))?$/s;

interface PsLine extends ProcessEntry {
  readonly rest: string;
}

/** @param columns further columns of `ps`, returned as `rest`. */
export function ps(args: readonly string[], columns: readonly string[] = []): PsLine[] {
  const wanted = ['pid=', 'ppid=', 'pgid=', 'stat=', 'lstart=', ...columns];
  const lines = psOutput([...args, ...wanted.flatMap((it) => ['-o', it])]).split('\n');
  return lines.flatMap((line) => {
    const [, id, ppid, pgid, letters, start, rest = ''] = PS_LINE.exec(line) ?? [];
    if (letters === undefined || start === undefined) return [];
    const [pid = 0, parent = 0, group = 0] = [id, ppid, pgid].map(Number);
    // `ps` of macOS prints no session, so the group stands for it.
    return { pid, start, state: stateOfLetters(letters), parent, group, session: group, rest };
  });
}

function psOutput(args: readonly string[]): string {
  try {
    return systemOutput('/bin/ps', args);
  } catch (error) {
    // Exit code 1 means that there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return '';
    throw error;
  }
}

function stateOfLetters(letters: string): ProcessEntry['state'] {
  if (/^[ZXx]/.test(letters)) return 'ended';
  return letters.startsWith('T') ? 'stopped' : 'runs';
}
