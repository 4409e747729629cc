/**
 * Finds the processes of an attempt: those that were started with its id in the environment, and
 * their descendants, in any group or session and with any parent.
 *
 * The system shows the environment with which a program was started. Programs that were started with
 * an empty one, and daemons that write their title over it (PostgreSQL, nginx), are missed here; they
 * are found by their process group if they stayed in it.
 */
import {
  bootId,
  type ProcessIdentity,
  processEntry,
  procIds,
  ps,
  readProc,
} from './process-entry.ts';

export interface MarkedProcess extends ProcessIdentity {
  readonly stage: string | undefined;
  /** The guard, or a program that it runs. */
  readonly guard: boolean;
}

export const ATTEMPT_VARIABLE = 'LANEHOLD_ATTEMPT';
export const STAGE_VARIABLE = 'LANEHOLD_STAGE';
/** Set for the guard and its own tools; the worker does not get it. */
export const GUARD_VARIABLE = 'LANEHOLD_GUARD';

/** All that run, stopped ones included, without the caller; ordered by pid. */
export function markedProcesses(attempt: string): MarkedProcess[] {
  // An empty variable names no attempt.
  if (attempt === '') return [];
  return process.platform === 'linux' ? fromProc(attempt) : fromPs(attempt);
}

/** Ids of all attempts that have running processes. */
export function attemptsWithProcesses(): ReadonlySet<string> {
  const mark = `${ATTEMPT_VARIABLE}=`;
  const environments =
    process.platform === 'linux'
      ? procIds().map((pid) => readProc(`/proc/${pid}/environ`)?.toString('latin1').split('\0'))
      : ps(['-A', '-E', '-ww'], ['command=']).map(({ rest }) => rest.split(' '));
  const marks = environments.flatMap((words) => words?.filter((it) => it.startsWith(mark)) ?? []);
  return new Set(marks.map((it) => it.slice(mark.length)));
}

/**
 * Reads the environment of every process that it may read. As root that includes other users: a
 * database that a test starts may not run as root, and belongs to the attempt as well.
 */
function fromProc(attempt: string): MarkedProcess[] {
  const marker = Buffer.from(`${ATTEMPT_VARIABLE}=${attempt}`);
  const holders: MarkedProcess[] = [];
  for (const pid of procIds()) {
    if (pid === process.pid) continue;
    const environment = readProc(`/proc/${pid}/environ`);
    if (environment === undefined || !holds(environment, marker)) continue;
    const entry = processEntry(pid);
    if (entry === undefined || entry.state === 'ended') continue;
    const variables = environment.toString('latin1').split('\0');
    holders.push(holder(pid, entry.start, variables));
  }
  return holders;
}

/** Compares the whole variable, neither a prefix nor a suffix of another one. */
function holds(environment: Buffer, marker: Buffer): boolean {
  let at = environment.indexOf(marker);
  while (at !== -1) {
    const end = at + marker.length;
    const starts = at === 0 || environment[at - 1] === 0;
    if (starts && (end === environment.length || environment[end] === 0)) return true;
    at = environment.indexOf(marker, at + 1);
  }
  return false;
}

/** macOS: `ps` prints the environment after the command, for the user's own processes. */
function fromPs(attempt: string): MarkedProcess[] {
  return ps(['-A', '-E', '-ww'], ['command=']).flatMap(({ pid, start, state, rest }) => {
    const words = rest.split(' ');
    const counts = words.includes(`${ATTEMPT_VARIABLE}=${attempt}`) && state !== 'ended';
    return counts && pid !== process.pid ? holder(pid, start, words) : [];
  });
}

function holder(pid: number, start: string, variables: readonly string[]): MarkedProcess {
  const stage = variables.find((it) => it.startsWith(`${STAGE_VARIABLE}=`));
  return {
    pid,
    start,
    bootId: bootId(),
    stage: stage?.slice(STAGE_VARIABLE.length + 1),
    guard: variables.some((it) => it.startsWith(`${GUARD_VARIABLE}=`)),
  };
}
