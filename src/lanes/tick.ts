/**
 * Looks at everything and sets going what should go: supervisors that died, lanes whose time has
 * come. Any process may do it at any time; doing it twice changes nothing, and it never waits for a
 * worker.
 */

import { probeLock } from '../process/held-lock.ts';
import { bootId } from '../process/process-identity.ts';
import { type Attempt, attemptStore } from '../store/attempts.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import { type Run, runStore } from '../store/runs.ts';
import { launchSupervisor } from './launch.ts';
import { supervisorLock } from './places.ts';
import { type Hire, type Started, startAttempt, waitsFor } from './start.ts';
import type { LaneWorld } from './world.ts';

export interface TickReport {
  /** Keys of lanes whose supervisor was started again. */
  readonly takenOver: readonly string[];
  readonly started: readonly string[];
  /** What could not start yet, by key. */
  readonly waiting: Readonly<Record<string, string>>;
}

export async function tick(world: LaneWorld): Promise<TickReport> {
  const runs = runStore(world.store).openEverywhere();
  const live = attemptStore(world.store).live();
  const report = { takenOver: [] as string[], started: [] as string[], waiting: {} };
  for (const attempt of live) {
    if (needsSupervisor(attempt) && launchSupervisor(world, attempt)) {
      report.takenOver.push(laneStore(world.store).byId(attempt.laneId)?.key ?? attempt.laneId);
    }
  }
  for (const run of runs) {
    if (run.intent === 'active') await startWhatCan(world, run, report);
  }
  return report;
}

/** The lock is the truth: whoever held it has ended, or the machine has started anew. */
export function needsSupervisor(attempt: Attempt): boolean {
  if (attempt.bootId !== null && attempt.bootId !== bootId()) return true;
  const state = probeLock(supervisorLock(attempt.dir));
  return state === 'free' || state === 'missing';
}

interface Growing {
  readonly started: string[];
  readonly waiting: Record<string, string>;
}

async function startWhatCan(world: LaneWorld, run: Run, report: Growing): Promise<void> {
  const lanes = laneStore(world.store).ofRun(run.id);
  for (const lane of lanes) {
    if (lane.state === 'waiting') report.waiting[lane.key] = waitsFor(world, run, lane) ?? '';
  }
  const candidates = lanes
    .filter((lane) => isDue(world, lane))
    .sort((a, b) => b.priority - a.priority || a.position - b.position);
  for (const lane of candidates) {
    const outcome = await startOne(world, run, lane);
    if (outcome.kind === 'started') {
      launchSupervisor(world, outcome.attempt);
      report.started.push(lane.key);
    } else {
      report.waiting[lane.key] = outcome.why;
    }
  }
}

function isDue(world: LaneWorld, lane: LaneView): boolean {
  if (lane.state === 'ready') return true;
  // A dependency has moved on: what was verified is put on top of it and validated again.
  if (lane.state === 'stale') return isRestackable(world, lane);
  if (lane.state !== 'parked' || lane.intent !== 'run' || lane.attemptId === null) return false;
  const last = attemptStore(world.store).byId(lane.attemptId);
  if (last?.endDetail?.startsWith('paused') === true) return true;
  return last !== undefined && last.resumeAt !== null && last.resumeAt <= world.now();
}

/** Once all that it needs is verified, and once for what they are then: what failed fails again. */
function isRestackable(world: LaneWorld, lane: LaneView): boolean {
  const lanes = laneStore(world.store);
  const moved = lanes.movedDeps(lane.id).map(({ to }) => to);
  if (moved.length === 0 || lanes.unmet(lane.id).length > 0) return false;
  const last = attemptStore(world.store).byId(lane.attemptId ?? '');
  return !(last?.kind === 'validate' && moved.every((sha) => last.flags.includes(sha)));
}

async function startOne(world: LaneWorld, run: Run, lane: LaneView): Promise<Started> {
  if (lane.state === 'stale') {
    return startAttempt(world, run, { lane, kind: 'validate', hire: undefined });
  }
  const { hireFor } = await import('./hire.ts');
  let hire: Hire;
  try {
    hire = await hireFor(world, run, lane);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'not-now', why: error.message };
  }
  return startAttempt(world, run, { lane, kind: kindFor(world, lane), hire });
}

/** After work that was judged and refused, the next one mends it. */
function kindFor(world: LaneWorld, lane: LaneView): 'work' | 'fix' {
  const last = lane.attemptId === null ? undefined : attemptStore(world.store).byId(lane.attemptId);
  return last?.endReason === 'rejected' ? 'fix' : 'work';
}
