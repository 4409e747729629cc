/**
 * Ends all processes of an attempt: first with SIGTERM, then with SIGKILL, searching again until none
 * is left, because processes may start others while they end. A pid is signalled only after a check
 * that it still is the same process, and never the caller or its group.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { STAGE_VARIABLE } from '../environment.ts';
import {
  bootId,
  isStopped,
  type ProcessEntry,
  type ProcessIdentity,
  processEntries,
  processEntry,
  procIds,
  ps,
  readProc,
  signalProcess,
} from './process-entry.ts';
import { sendSignal } from './run.ts';

export interface EndOptions {
  /** Only processes of these stages; by default all. */
  readonly stages?: readonly string[];
  /** Time between SIGTERM and SIGKILL; 0 leaves out SIGTERM. */
  readonly graceMs: number;
  /**
   * The leader of the attempt's process group, seen a moment ago. It may have ended and left members
   * without the marker. Must be recent: the number may belong to another group later.
   */
  readonly leader?: ProcessIdentity | undefined;
}

export interface Ended {
  readonly ended: number;
  /** Processes that no signal ended in time: they wait for a disk, or belong to another user. */
  readonly left: MarkedProcess[];
}

const POLL_MS = 20;
/** Large processes take the kernel a while, and some start others quickly. */
const KILL_MS = 15_000;
/** Time for a guard to write how its worker ended, on a busy disk. */
const GUARD_MS = 5_000;

export async function endMarkedProcesses(attempt: string, options: EndOptions): Promise<Ended> {
  const search = newSearch(attempt, options);
  const asked = options.graceMs > 0 ? await askToEnd(search, options.graceMs) : 'some';
  const killed = await kill(search, asked);
  await killGroups(search);
  const left = killed === 'none' ? [] : search.find();
  return { ended: search.seen.size - left.length, left };
}

interface Search {
  /** The processes to end that run now. */
  find(): MarkedProcess[];
  /** All that were found so far. */
  readonly seen: ReadonlySet<string>;
  /** Leaders of the process groups that consist of such processes, by group number. */
  readonly groups: Map<number, GroupLead>;
}

interface GroupLead {
  readonly session: number;
  /** Start of the leader; undefined if it had ended before. */
  readonly start: string | undefined;
}

function newSearch(attempt: string, { stages, leader }: EndOptions): Search {
  const own = processEntry(process.pid)?.group;
  const seen = new Set<string>();
  const groups = new Map<number, GroupLead>();
  if (leader !== undefined) groups.set(leader.pid, { session: leader.pid, start: leader.start });
  const isMeant = ({ stage }: MarkedProcess): boolean =>
    stages === undefined || (stage !== undefined && stages.includes(stage));
  return {
    seen,
    groups,
    find() {
      const all = markedProcesses(attempt);
      const meant = all.filter(isMeant);
      for (const it of meant) seen.add(keyOf(it));
      for (const [group, lead] of groupsOf(meant, all)) if (group !== own) groups.set(group, lead);
      return meant;
    },
  };
}

function keyOf({ pid, start }: MarkedProcess): string {
  return `${pid} ${start}`;
}

/** The groups whose leader is to end, or has ended and left only processes that are to end. */
function groupsOf(
  meant: readonly MarkedProcess[],
  all: readonly MarkedProcess[],
): Map<number, GroupLead> {
  const groups = new Map<number, GroupLead>();
  const pids = new Set(meant.map(({ pid }) => pid));
  const spared = new Set(
    all.filter(({ pid }) => !pids.has(pid)).map(({ pid }) => processEntry(pid)?.group),
  );
  for (const { pid, start } of meant) {
    const entry = processEntry(pid);
    if (entry?.start !== start || spared.has(entry.group)) continue;
    const leader = processEntry(entry.group);
    const leads = leader === undefined || leader.state === 'ended' || pids.has(leader.pid);
    if (leads) groups.set(entry.group, { session: entry.session, start: leader?.start });
  }
  return groups;
}

/** Whether the last search found any. */
type Found = 'none' | 'some';

async function askToEnd(search: Search, graceMs: number): Promise<Found> {
  const asked = new Set<string>();
  const deadline = performance.now() + graceMs;
  for (;;) {
    const running = search.find();
    if (running.length === 0) return 'none';
    const unsignalled = running.filter((it) => !asked.has(keyOf(it)));
    for (const it of unsignalled) asked.add(keyOf(it));
    signalTogether(search, unsignalled);
    if (performance.now() >= deadline) return 'some';
    await delay(POLL_MS);
  }
}

/** Signals each process once: some programs skip their clean-up at a second SIGTERM. */
function signalTogether({ groups }: Search, holders: readonly MarkedProcess[]): void {
  const told = new Set<number>();
  for (const it of holders) {
    const group = processEntry(it.pid)?.group;
    if (group !== undefined && told.has(group)) continue;
    const lead = group === undefined ? undefined : groups.get(group);
    if (group !== undefined && lead !== undefined && signalGroup(lead, group, 'SIGTERM')) {
      told.add(group);
      signalGroup(lead, group, 'SIGCONT');
      continue;
    }
    signalProcess(it, 'SIGTERM');
    // A stopped process handles the signal only once it continues.
    if (isStopped(it)) signalProcess(it, 'SIGCONT');
  }
}

async function kill(search: Search, asked: Found): Promise<Found> {
  const deadline = performance.now() + KILL_MS;
  let guardsUntil = Number.POSITIVE_INFINITY;
  let emptySearches = asked === 'none' ? 1 : 0;
  if (asked === 'none') await delay(POLL_MS);
  for (;;) {
    const running = search.find();
    const now = performance.now();
    // Twice: a process that is just being started shows no environment for a moment.
    emptySearches = running.length === 0 ? emptySearches + 1 : 0;
    if (emptySearches === 2) return 'none';
    if (now >= deadline) return 'some';
    // A guard ends by itself after its worker and writes the exit code.
    const onlyGuards = running.length > 0 && running.every(({ guard }) => guard);
    if (onlyGuards) guardsUntil = Math.min(guardsUntil, now + GUARD_MS);
    for (const it of running) killOne(it, now >= guardsUntil);
    await delay(POLL_MS);
  }
}

function killOne(it: MarkedProcess, guardsToo: boolean): void {
  if (!it.guard || guardsToo) signalProcess(it, 'SIGKILL');
  else if (isStopped(it)) signalProcess(it, 'SIGCONT');
}

/** Kills processes without the marker that stayed in a group of the attempt, until all have ended. */
async function killGroups(search: Search): Promise<void> {
  const deadline = performance.now() + KILL_MS;
  while (killMembers(search) && performance.now() < deadline) await delay(POLL_MS);
}

/** True if running were members to kill. */
function killMembers({ groups }: Search): boolean {
  if (groups.size === 0) return false;
  const members = processEntries().filter(({ state }) => state !== 'ended');
  const occupied = [...groups].filter(([group, { session }]) =>
    members.some((it) => it.group === group && it.session === session),
  );
  return occupied.filter(([group, lead]) => signalGroup(lead, group, 'SIGKILL')).length > 0;
}

/** A group keeps its number while it has members; the check is that no new leader has its pid. */
function signalGroup(lead: GroupLead, group: number, signal: NodeJS.Signals): boolean {
  const leader: ProcessEntry | undefined = processEntry(group);
  if (leader !== undefined && leader.start !== lead.start) return false;
  return sendSignal(-group, signal);
}

export interface MarkedProcess extends ProcessIdentity {
  readonly stage: string | undefined;
  /** The guard, or a program that it runs. */
  readonly guard: boolean;
}

export const ATTEMPT_VARIABLE = 'LANEHOLD_ATTEMPT';
/** Set for the guard and its own tools; the worker does not get it. */
export const GUARD_VARIABLE = 'LANEHOLD_GUARD';

/**
 * The processes that were started with the attempt's id in their environment, and their descendants,
 * in any group or session and with any parent: all that run, stopped ones included, without the
 * caller; ordered by pid.
 *
 * The system shows the environment with which a program was started. Programs that were started with
 * an empty one, and daemons that write their title over it (PostgreSQL, nginx), are missed here; they
 * are found by their process group if they stayed in it.
 */
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
    const variables = environment.toString('latin1').split('\0');
    const entry = processEntry(pid);
    if (entry === undefined || entry.state === 'ended') continue;
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
