/** What the system's own table says about a process; none of it is kept, all of it may be over. */
import { readdirSync, readFileSync } from 'node:fs';
import { systemOutput } from './run-sync.ts';

export interface ProcessEntry {
  readonly pid: number;
  /** When it started, in whatever the system counts; with pid and boot it names one process. */
  readonly start: string;
  readonly state: 'runs' | 'stopped' | 'ended';
  readonly group: number;
  readonly session: number;
}

/** Undefined if there is none. One that has ended and was not collected yet is there. */
export function processEntry(pid: number): ProcessEntry | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Fields after the name, which may hold spaces and brackets; numbers as in proc_pid_stat(5), less 3. */
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

/** All that there are, of whoever; the next moment it is another list. */
export function processEntries(): ProcessEntry[] {
  if (process.platform !== 'linux') return ps(['-A']);
  return procIds().flatMap((pid) => fromProc(pid) ?? []);
}

/** Linux: the pids in `/proc`. */
export function procIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** A file of a process; undefined if the process is gone, or not ours to look at. */
export function readProc(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
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

/** @param columns the last ones of `ps`, for `rest`. */
export function ps(args: readonly string[], columns: readonly string[] = []): PsLine[] {
  const format = ['pid=', 'pgid=', 'stat=', 'lstart=', ...columns].flatMap((it) => ['-o', it]);
  return psOutput([...args, ...format])
    .split('\n')
    .flatMap((line) => {
      const [, pid, group, state, start, rest = ''] = PS_LINE.exec(line) ?? [];
      if (state === undefined || start === undefined) return [];
      // `ps` of macOS does not know sessions: whoever leads a group is taken to lead its session.
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
