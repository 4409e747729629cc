/** Processes whose environment carries the mark of a test, in whatever session. Linux only. */
import { readdirSync, readFileSync, statSync } from 'node:fs';

export interface MarkedProcess {
  readonly pid: number;
  /** When it began; with the pid it is the process's identity. */
  readonly start: string;
  /** `R`, `S`, `T` (stopped), … */
  readonly state: string;
  readonly attempt: string | undefined;
  readonly stage: string | undefined;
  readonly worktree: string | undefined;
  readonly command: string;
}

/** Running processes whose environment holds `mark` (`NAME=value`). */
export function processesMarked(mark: string): MarkedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => marked(Number(name), mark))
    .filter((it) => it !== undefined);
}

function marked(pid: number, mark: string): MarkedProcess | undefined {
  const environment = proc(pid, 'environ').split('\0');
  if (!environment.includes(mark)) return undefined;
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  const value = (name: string): string | undefined =>
    environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    pid,
    ...stat,
    attempt: value('LANEHOLD_ATTEMPT'),
    stage: value('LANEHOLD_STAGE'),
    worktree: value('LANEHOLD_WORKTREE'),
    command: proc(pid, 'cmdline').replaceAll('\0', ' ').trim(),
  };
}

/** `undefined` if the process is gone or has ended and only waits to be collected. */
export function statOf(pid: number): Pick<MarkedProcess, 'start' | 'state'> | undefined {
  const text = proc(pid, 'stat');
  // The name in parentheses may hold anything, spaces and parentheses included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', start = ''] = [fields[0], fields[19]];
  return start === '' || state === 'Z' || state === 'X' ? undefined : { state, start };
}

/** The process that holds a lock on the file. */
export function lockHolder(file: string): number | undefined {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  const locks = readFileSync('/proc/locks', 'utf8').matchAll(/ (\d+) \S+:(\d+) \d+ \S+$/gm);
  const held = [...locks].find(([, , found]) => Number(found) === inode);
  return held && Number(held[1]);
}

/** A file of a process, or nothing once it is gone or if it is another user's. */
function proc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return '';
    throw error;
  }
}

/** Signals exactly that process; false if it is gone. */
export function signal(
  { pid, start }: Pick<MarkedProcess, 'pid' | 'start'>,
  name: NodeJS.Signals,
): boolean {
  if (statOf(pid)?.start !== start) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** A killed process is there until its memory is given back, on a busy machine for a while. */
const END_MS = 20_000;

/** Kills what is found until nothing is found: processes may start others meanwhile. */
export function endAll(find: () => readonly MarkedProcess[]): void {
  for (const end = Date.now() + END_MS; Date.now() < end; ) {
    const found = find();
    if (found.length === 0) return;
    for (const it of found) signal(it, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
  throw new Error(`still running: ${find().map(({ command }) => command)}`);
}
