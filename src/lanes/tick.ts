/**
 * Looks at everything and sets going what should go: supervisors that died, lanes whose time has
 * come. Any process may do it at any time; doing it twice changes nothing, and it never waits for a
 * worker.
 */
import { type Attempt, attemptStore } from '../store/attempts.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import { type Run, runStore } from '../store/runs.ts';
import type { LaneWorld } from './context.ts';
import { dueLanes, unattended } from './due.ts';
import { keepSettings } from './kept-settings.ts';
import { launchSupervisor } from './launch.ts';
import { type Hire, hindrance, limitOf, type Started, startAttempt, waitsFor } from './start.ts';

export interface TickReport {
  /** Keys of lanes whose supervisor was started again. */
  readonly takenOver: readonly string[];
  readonly started: readonly string[];
  /** What could not start yet, by key. */
  readonly waiting: Readonly<Record<string, string>>;
}

/** @param told the run whose lanes are reported; those of all are seen to. */
export async function tick(world: LaneWorld, told?: Pick<Run, 'id'>): Promise<TickReport> {
  const isTold = (runId: string | undefined): boolean => told === undefined || told.id === runId;
  const report = {
    takenOver: [] as string[],
    started: [] as string[],
    waiting: waiting(world, isTold),
  };
  for (const attempt of unattended(world)) {
    if (!launchSupervisor(world, attempt)) continue;
    const lane = laneStore(world.store).byId(attempt.laneId);
    if (isTold(lane?.runId)) report.takenOver.push(lane?.key ?? attempt.laneId);
  }
  const full = new Map<string, string>();
  for (const { run, lane } of dueLanes(world)) {
    const outcome = await startOne(world, run, lane, full);
    if (outcome.kind === 'started') {
      launchSupervisor(world, outcome.attempt);
      if (isTold(run.id)) report.started.push(lane.key);
    } else if (isTold(run.id)) {
      report.waiting[lane.key] = outcome.why;
    }
  }
  return report;
}

function waiting(world: LaneWorld, isTold: (runId: string) => boolean): Record<string, string> {
  const reasons: Record<string, string> = {};
  for (const run of runStore(world.store).openEverywhere()) {
    if (!isTold(run.id)) continue;
    const lanes = laneStore(world.store).ofRun(run.id);
    const unmet = laneStore(world.store).unmetOfRun(run.id);
    const live = new Set(attemptStore(world.store).liveOfRun(run.id).map(laneIdOf));
    const atWork = lanes.filter(({ id }) => live.has(id));
    for (const lane of lanes) {
      if (lane.state !== 'waiting') continue;
      reasons[lane.key] = waitsFor(lane, { unmet: unmet.get(lane.id) ?? [], atWork }) ?? '';
    }
  }
  return reasons;
}

const laneIdOf = ({ laneId }: Attempt): string => laneId;

/** @param full runs that have no place left, and why: the next hundred lanes have none either. */
async function startOne(
  world: LaneWorld,
  run: Run,
  lane: LaneView,
  full: Map<string, string>,
): Promise<Started> {
  if (lane.state === 'stale') {
    return startAttempt(world, run, { lane, kind: 'validate', hire: undefined });
  }
  const limit = full.get(run.id) ?? limitOf(run, attemptStore(world.store).liveOfRun(run.id));
  if (limit !== undefined) {
    full.set(run.id, limit);
    return { kind: 'not-now', why: limit };
  }
  const kind = kindFor(world, lane);
  // Looked at again with all else; here it saves reading settings for a lane that cannot start.
  const why = hindrance(world, run, lane, kind);
  if (why !== undefined) return { kind: 'not-now', why };
  const { hireFor } = await import('./resolved-worker.ts');
  let hire: Hire;
  try {
    hire = await hireFor(world, run, lane);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'not-now', why: error.message };
  }
  const outcome = startAttempt(world, run, { lane, kind, hire });
  if (outcome.kind === 'started') keepSettings(outcome.attempt.dir, hire.settings);
  return outcome;
}

/** After work that was judged and refused, the next one mends it. */
function kindFor(world: LaneWorld, lane: LaneView): 'work' | 'fix' {
  const last = lane.attemptId === null ? undefined : attemptStore(world.store).byId(lane.attemptId);
  return last?.endReason === 'rejected' ? 'fix' : 'work';
}
