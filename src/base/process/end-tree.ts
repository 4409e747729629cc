/**
 * Ends all processes of an attempt: first with SIGTERM, then with SIGKILL, searching again until none
 * is left, because processes may start others while they end. A pid is signalled only after a check
 * that it still is the same process, and never the caller or its group.
 */

import { readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { STAGE_VARIABLE } from '../environment.ts';
import { attempt as tried } from '../errors.ts';
import { isInside } from '../files/inside.ts';
import {
  bootId,
  environmentOf,
  isStopped,
  type ProcessEntry,
  type ProcessIdentity,
  processEntries,
  processEntry,
  procIds,
  ps,
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

const POLL_MS = 20;
/** After a search that found none, only one that another has just started can be left. */
const PAUSES_MS = [POLL_MS, 4] as const;
/** Large processes take the kernel some time, and some start others quickly. */
const KILL_MS = 15_000;
/** The time in which a guard can write how its worker ended, on a busy disk. */
const GUARD_MS = 5_000;

/** Process groups that consist of processes to end, by number; `start` is the leader's, if it runs. */
type Groups = Map<number, { readonly session: number; readonly start: string | undefined }>;

/**
 * Ends the processes. It gives up on those that no signal ends: they wait for a disk, or belong to another user.
 *
 * @returns whether there were any.
 */
export async function endMarkedProcesses(
  attempt: string,
  { stages, graceMs, leader }: EndOptions,
): Promise<boolean> {
  const groups: Groups = new Map();
  if (leader !== undefined) groups.set(leader.pid, { session: leader.pid, start: leader.start });
  const asked = new Set<string>();
  const askUntil = performance.now() + graceMs;
  let guardsUntil = Number.POSITIVE_INFINITY;
  let wereThere = false;
  const strangers = new Set<number>();
  // It searches twice, because a process may start another and end during a search.
  for (let emptySearches = 0; ; await delay(PAUSES_MS[emptySearches])) {
    const all = markedProcesses(attempt, strangers);
    const meant = all.filter(({ stage }) => !stages || stages.includes(stage ?? ''));
    emptySearches = meant.length === 0 ? emptySearches + 1 : 0;
    wereThere ||= meant.length > 0;
    const now = performance.now();
    if (emptySearches === 2 || now >= askUntil + KILL_MS) break;
    addGroups(groups, meant, all);
    // Each process is asked once before it is killed, however long the search took.
    const isAsking = now < askUntil || (graceMs > 0 && asked.size === 0);
    if (isAsking) askToEnd(groups, meant, asked);
    else guardsUntil = kill(meant, guardsUntil);
  }
  const until = performance.now() + KILL_MS;
  while (killGroups(groups) && performance.now() < until) await delay(POLL_MS);
  return wereThere;
}

/** Adds the groups whose leader is to end, or has ended and left only such processes. */
function addGroups(
  groups: Groups,
  meant: readonly MarkedProcess[],
  all: readonly MarkedProcess[],
): void {
  const pids = new Set(meant.map(({ pid }) => pid));
  const others = all.filter(({ pid }) => !pids.has(pid)).map(({ pid }) => pid);
  const spared = new Set([process.pid, ...others].map((pid) => processEntry(pid)?.group));
  for (const { pid, start } of meant) {
    const entry = processEntry(pid);
    if (entry?.start !== start || spared.has(entry.group)) continue;
    const leader = processEntry(entry.group);
    const leads = leader === undefined || leader.state === 'ended' || pids.has(leader.pid);
    if (leads) groups.set(entry.group, { session: entry.session, start: leader?.start });
  }
}

/** Signals each process once: some programs skip their clean-up at a second SIGTERM. */
function askToEnd(groups: Groups, meant: readonly MarkedProcess[], asked: Set<string>): void {
  const told = new Set<number>();
  for (const it of meant) {
    const key = `${it.pid} ${it.start}`;
    if (asked.has(key)) continue;
    asked.add(key);
    const group = processEntry(it.pid)?.group ?? 0;
    if (told.has(group)) continue;
    if (signalGroup(groups, group, 'SIGTERM')) {
      told.add(group);
      signalGroup(groups, group, 'SIGCONT');
      continue;
    }
    signalProcess(it, 'SIGTERM');
    // A stopped process handles the signal only after it continues.
    if (isStopped(it)) signalProcess(it, 'SIGCONT');
  }
}

/**
 * Kills all but guards, which end on their own after their worker and write its exit code.
 *
 * @param guardsUntil the time after which guards are killed, too.
 * @returns that time, once it is known.
 */
function kill(meant: readonly MarkedProcess[], guardsUntil: number): number {
  const now = performance.now();
  for (const it of meant) {
    if (!it.guard || now >= guardsUntil) signalProcess(it, 'SIGKILL');
    else if (isStopped(it)) signalProcess(it, 'SIGCONT');
  }
  const isWaiting = meant.length > 0 && meant.every(({ guard }) => guard);
  return isWaiting ? Math.min(guardsUntil, now + GUARD_MS) : guardsUntil;
}

/** Kills processes without the marker that stayed in a group. @returns whether there were any. */
function killGroups(groups: Groups): boolean {
  // Signal 0 asks whether the group has members, which takes less time than a search.
  if (![...groups.keys()].some((group) => tried(() => process.kill(-group, 0)))) return false;
  const running = processEntries().filter(({ state }) => state !== 'ended');
  const occupied = [...groups].filter(([group, { session }]) =>
    running.some((it) => it.group === group && it.session === session),
  );
  return occupied.filter(([group]) => signalGroup(groups, group, 'SIGKILL')).length > 0;
}

/** Signals a group. It keeps its number while it has members; the check is that no new leader has its pid. */
function signalGroup(groups: Groups, group: number, signal: NodeJS.Signals): boolean {
  const lead = groups.get(group);
  const leader = processEntry(group);
  if (lead === undefined || (leader !== undefined && leader.start !== lead.start)) return false;
  return sendSignal(-group, signal);
}

export interface MarkedProcess extends ProcessIdentity {
  readonly stage: string | undefined;
  /** True for the guard, and for a program that it runs. */
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
 *
 * @param strangers pids that are left out; those that have nothing to do with lanehold are added.
 */
export function markedProcesses(attempt: string, strangers?: Set<number>): MarkedProcess[] {
  // An empty variable names no attempt.
  if (attempt === '') return [];
  const marker = `${ATTEMPT_VARIABLE}=${attempt}`;
  const found = Array.from(environmentsWith(marker, strangers)).flatMap((it) => {
    const { pid, variables, entryNow } = it;
    if (pid === process.pid || !variables.includes(marker)) return [];
    const entry = entryNow();
    if (entry === undefined || entry.state === 'ended') return [];
    const guard = variables.some((it) => it.startsWith(`${GUARD_VARIABLE}=`));
    const stage = variables.find((it) => it.startsWith(`${STAGE_VARIABLE}=`));
    const identity = { pid, start: entry.start, bootId: bootId() };
    return { ...identity, stage: stage?.slice(STAGE_VARIABLE.length + 1), guard };
  });
  // Until they have ended, another process may get the number of a stranger.
  if (found.length > 0) strangers?.clear();
  return found;
}

export function attemptsWithProcesses(): ReadonlySet<string> {
  const mark = `${ATTEMPT_VARIABLE}=`;
  const variables = Array.from(environmentsWith(mark)).flatMap((it) => it.variables);
  return new Set(variables.flatMap((it) => (it.startsWith(mark) ? it.slice(mark.length) : [])));
}

/**
 * Finds what a program has left running, even without the marks in its environment. The returned
 * function tells whether a process has begun since this call that works in the folder, or that has
 * no mark and has lost its parent. A process of somebody else may be taken for one.
 */
export function strangersFromNowOn(): (folder: string) => boolean {
  const seen = new Set(processEntries().map(({ pid, start }) => `${pid} ${start}`));
  return (folder) => {
    // Orphans of this session get the parent of this process as their parent, if that is itself an orphan.
    const orphanages = new Set([1, process.ppid]);
    const strangers = processEntries().filter(
      ({ pid, start, state, session }) =>
        // Processes of the kernel have no session.
        session > 0 && state !== 'ended' && !seen.has(`${pid} ${start}`),
    );
    if (strangers.some(({ pid, parent }) => parent !== process.pid && worksIn(pid, folder))) {
      return true;
    }
    const orphans = strangers.filter(({ parent }) => orphanages.has(parent));
    return orphans.length > 0 && !orphans.map(({ pid }) => pid).every(marks('LANEHOLD_'));
  };
}

/** Whether a process of no attempt works in the folder: a shell, an editor; true if the system does not tell. */
export function somebodyWorksIn(folder: string): boolean {
  if (process.platform !== 'linux') return true;
  const isMarked = marks(`${ATTEMPT_VARIABLE}=`);
  return procIds().some((pid) => pid !== process.pid && worksIn(pid, folder) && !isMarked(pid));
}

/** Returns whether a process has a variable with this prefix. */
function marks(prefix: string): (pid: number) => boolean {
  const marked = new Set(Array.from(environmentsWith(prefix), ({ pid }) => pid));
  return (pid) => marked.has(pid);
}

/** Whether the process works in the folder, or below it; `false` if the system does not tell. */
function worksIn(pid: number, folder: string): boolean {
  const at = tried(() => readlinkSync(`/proc/${pid}/cwd`));
  return at !== undefined && (at === folder || isInside(folder, at));
}

/**
 * The environments that contain a text, of all processes whose environment may be read. As root that
 * includes other users: a database that a test starts may not run as root, and belongs to the attempt
 * as well.
 */
function* environmentsWith(
  text: string,
  strangers = new Set<number>(),
): Generator<{
  readonly pid: number;
  readonly variables: readonly string[];
  readonly entryNow: () => ProcessEntry | undefined;
}> {
  if (process.platform !== 'linux') {
    // On macOS, `ps` prints the environment after the command, for the user's own processes.
    for (const entry of ps(['-A', '-E', '-ww'], ['command='])) {
      const { pid, rest } = entry;
      if (rest.includes(text)) yield { pid, variables: rest.split(' '), entryNow: () => entry };
    }
    return;
  }
  for (const pid of procIds()) {
    if (strangers.has(pid)) continue;
    const bytes = environmentOf(pid);
    // An empty one may be that of a process that starts another, with one of its own.
    if (bytes?.length !== 0 && !bytes?.includes('LANEHOLD_')) strangers.add(pid);
    if (!bytes?.includes(text)) continue;
    const variables = bytes.toString('latin1').split('\0');
    yield { pid, variables, entryNow: () => processEntry(pid) };
  }
}
