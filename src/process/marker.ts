/**
 * Who belongs to an attempt: whatever was started with its id in the environment, and all that this
 * has started since, in whichever group or session it is now, whoever its parent is.
 *
 * What the system shows is the environment that a program was started with. So it misses what was
 * started with an emptied one, and daemons that write their title over it (PostgreSQL, nginx); those
 * are caught by their process group, where they stayed in it.
 */
import { processEntry, procIds, ps, readProc } from './process-entry.ts';
import { bootId, type ProcessIdentity } from './process-identity.ts';

export interface MarkedProcess extends ProcessIdentity {
  readonly stage: string | undefined;
  /** It is the shell that writes down how the worker ended, or helps it to. */
  readonly guard: boolean;
}

export const ATTEMPT_VARIABLE = 'LANEHOLD_ATTEMPT';
export const STAGE_VARIABLE = 'LANEHOLD_STAGE';
/** Set for the guard and its own tools; the worker does not get it. */
export const GUARD_VARIABLE = 'LANEHOLD_GUARD';

/** All of them that run, the stopped ones too, but not the caller. In the order of their pids. */
export function markedProcesses(attempt: string): MarkedProcess[] {
  // Whoever has the variable, and nothing in it, belongs to nobody.
  if (attempt === '') return [];
  return process.platform === 'linux' ? fromProc(attempt) : fromPs(attempt);
}

/** Ids of all attempts that a running process belongs to, whoever's they are. */
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
 * Reads whatever it may read. For root that is everybody's: a database that a test starts must not
 * run as root, and is a part of the attempt all the same.
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

/** As a whole variable: one that merely ends like this, or goes on, is another one. */
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

/** macOS: the environment follows the command, in one line, for processes of one's own. */
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
