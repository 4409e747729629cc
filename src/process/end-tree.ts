/**
 * Ends all that belongs to an attempt: politely, then for good, looking again until nobody is left,
 * because some start others while they go. No pid is signalled before it was seen to be the process
 * that is meant, and never the caller or its group.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type MarkedProcess, markedProcesses } from './marker.ts';
import { type ProcessEntry, processEntries, processEntry } from './process-entry.ts';
import { isStopped, type ProcessIdentity, sendSignal, signalProcess } from './process-identity.ts';

export interface EndOptions {
  /** Only holders of these; by default all. */
  readonly stages?: readonly string[];
  /** Between the polite and the final signal; 0 leaves out the polite one. */
  readonly graceMs: number;
  /**
   * Whoever led a group of its own for what is meant, and was seen a moment ago: it may have ended and
   * left only such members behind as nothing else tells. A number of long ago is somebody else's.
   */
  readonly leader?: ProcessIdentity | undefined;
}

export interface Ended {
  readonly ended: number;
  /** Whom no signal ended in time: they wait for a disk, or belong to somebody else. */
  readonly left: MarkedProcess[];
}

const POLL_MS = 20;
/** For a kernel that has to tear down large processes, or for one that starts others quickly. */
const KILL_MS = 15_000;
/** For a guard to write down how its worker ended, on a disk that others keep busy. */
const GUARD_MS = 5_000;

export async function endMarkedProcesses(attempt: string, options: EndOptions): Promise<Ended> {
  const hunt = newHunt(attempt, options);
  if (options.graceMs > 0) await askToEnd(hunt, options.graceMs);
  await kill(hunt);
  await killGroups(hunt);
  const left = hunt.look();
  return { ended: hunt.seen.size - left.length, left };
}

interface Hunt {
  /** Who is there now, of those that are meant. */
  look(): MarkedProcess[];
  /** All that were ever there. */
  readonly seen: ReadonlySet<string>;
  /** Groups that consist of what is meant: by number, who led it. */
  readonly groups: Map<number, GroupLead>;
}

interface GroupLead {
  readonly session: number;
  /** When the leader started; undefined if it had ended before we came. */
  readonly start: string | undefined;
}

function newHunt(attempt: string, { stages, leader }: EndOptions): Hunt {
  const own = processEntry(process.pid)?.group;
  const seen = new Set<string>();
  const groups = new Map<number, GroupLead>();
  if (leader !== undefined) groups.set(leader.pid, { session: leader.pid, start: leader.start });
  const isMeant = ({ stage }: MarkedProcess): boolean =>
    stages === undefined || (stage !== undefined && stages.includes(stage));
  return {
    seen,
    groups,
    look() {
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

/** The groups whose leader is meant, or has ended and left only such holders as are meant. */
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

async function askToEnd(hunt: Hunt, graceMs: number): Promise<void> {
  const asked = new Set<string>();
  const deadline = performance.now() + graceMs;
  for (;;) {
    const there = hunt.look();
    if (there.length === 0) return;
    const news = there.filter((it) => !asked.has(keyOf(it)));
    for (const it of news) asked.add(keyOf(it));
    signalTogether(hunt, news);
    if (performance.now() >= deadline) return;
    await delay(POLL_MS);
  }
}

/** Each hears it once: for some programs a second SIGTERM means that there is no time to clean up. */
function signalTogether({ groups }: Hunt, holders: readonly MarkedProcess[]): void {
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
    // A stopped one would hear it when it is woken, that is never.
    if (isStopped(it)) signalProcess(it, 'SIGCONT');
  }
}

async function kill(hunt: Hunt): Promise<void> {
  const deadline = performance.now() + KILL_MS;
  let guardsUntil = Number.POSITIVE_INFINITY;
  for (;;) {
    const there = hunt.look();
    const now = performance.now();
    if (there.length === 0 || now >= deadline) return;
    // A guard ends by itself after its worker, and then the exit code is known.
    const onlyGuards = there.every(({ guard }) => guard);
    if (onlyGuards) guardsUntil = Math.min(guardsUntil, now + GUARD_MS);
    for (const it of there) killOne(it, now >= guardsUntil);
    await delay(POLL_MS);
  }
}

function killOne(it: MarkedProcess, guardsTimeIsUp: boolean): void {
  if (!it.guard || guardsTimeIsUp) signalProcess(it, 'SIGKILL');
  else if (isStopped(it)) signalProcess(it, 'SIGCONT');
}

/** What has emptied its environment, but stayed in a group that was all ours. A signal is no end yet. */
async function killGroups(hunt: Hunt): Promise<void> {
  const deadline = performance.now() + KILL_MS;
  while (killMembers(hunt) && performance.now() < deadline) await delay(POLL_MS);
}

/** True if there was anybody to kill. */
function killMembers({ groups }: Hunt): boolean {
  if (groups.size === 0) return false;
  const members = processEntries().filter(({ state }) => state !== 'ended');
  const inhabited = [...groups].filter(([group, { session }]) =>
    members.some((it) => it.group === group && it.session === session),
  );
  return inhabited.filter(([group, lead]) => signalGroup(lead, group, 'SIGKILL')).length > 0;
}

/** A group's number stays taken while it has members, but its leader's pid must not be another's. */
function signalGroup(lead: GroupLead, group: number, signal: NodeJS.Signals): boolean {
  const leader: ProcessEntry | undefined = processEntry(group);
  if (leader !== undefined && leader.start !== lead.start) return false;
  return sendSignal(-group, signal);
}
