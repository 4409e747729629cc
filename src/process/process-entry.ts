/** Reads the system's process table. Nothing is cached; any entry may be out of date at once. */
import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';
import { systemOutput } from './run-sync.ts';

export interface ProcessEntry {
  readonly pid: number;
  /** Start time in the system's own unit; together with pid and boot id it names one process. */
  readonly start: string;
  readonly state: 'runs' | 'stopped' | 'ended';
  readonly group: number;
  readonly session: number;
}

/** Undefined if there is none. A zombie has an entry. */
export function processEntry(pid: number): ProcessEntry | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Positions after the name, which may contain spaces and brackets: those of proc_pid_stat(5) less 3. */
const STATE = 0;
const GROUP = 2;
const SESSION = 3;
const START_TICKS = 19;

function fromProc(pid: number): ProcessEntry | undefined {
  const line = readProc(`/proc/${pid}/stat`)?.toString('latin1');
  if (line === undefined) return undefined;
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const start = fields[START_TICKS];
  if (start === undefined) return undefined;
  return {
    pid,
    start,
    state: stateOf(fields[STATE] ?? ''),
    group: Number(fields[GROUP]),
    session: Number(fields[SESSION]),
  };
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

/** A file of a process; undefined if the process is gone or may not be read. */
export function readProc(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (GONE_OR_FOREIGN.has(code)) return undefined;
    throw error;
  }
}

const GONE_OR_FOREIGN: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** macOS has no `/proc`. `lstart` has five words: `Sun Nov 22 01:26:30 2026`. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)(?:\s+(.*))?$/s;

export interface PsLine extends ProcessEntry {
  readonly rest: string;
}

/** @param columns further columns of `ps`, returned as `rest`. */
export function ps(args: readonly string[], columns: readonly string[] = []): PsLine[] {
  const format = ['pid=', 'pgid=', 'stat=', 'lstart=', ...columns].flatMap((it) => ['-o', it]);
  return psOutput([...args, ...format])
    .split('\n')
    .flatMap((line) => {
      const [, pid, group, state, start, rest = ''] = PS_LINE.exec(line) ?? [];
      if (state === undefined || start === undefined) return [];
      // `ps` of macOS prints no session: the group stands in for it.
      const groupNumber = Number(group);
      return {
        pid: Number(pid),
        start,
        state: stateOf(state),
        group: groupNumber,
        session: groupNumber,
        rest,
      };
    });
}

function psOutput(args: readonly string[]): string {
  try {
    return systemOutput('/bin/ps', args);
  } catch (error) {
    // Exit code 1: there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return '';
    throw error;
  }
}

function fromPs(pid: number): ProcessEntry | undefined {
  return ps(['-p', String(pid)])[0];
}

function stateOf(letters: string): ProcessEntry['state'] {
  const [letter = ''] = letters;
  if ('ZXx'.includes(letter)) return 'ended';
  return letter === 'T' ? 'stopped' : 'runs';
}
