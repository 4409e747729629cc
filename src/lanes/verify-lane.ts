/** Judges what lies in a lane's worktree now, without a worker. */
import { ExplainedError } from '../errors.ts';
import { attemptStore } from '../store/attempts.ts';
import { laneValidationStore, type Validation } from '../store/lane-validations.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import type { LaneWorld } from './context.ts';
import { assertIdle } from './edit.ts';
import { launchSupervisor } from './launch.ts';
import { startAttempt } from './start.ts';
import { untilIdle } from './wait.ts';

export interface VerifiedLane {
  readonly lane: LaneView;
  readonly validation: Validation | undefined;
  readonly text: string;
}

/** @throws {ExplainedError} if somebody works in it, or it cannot be validated now. */
export async function verifyLane(
  world: LaneWorld,
  run: Run,
  lane: LaneView,
  tell: (line: string) => void,
): Promise<VerifiedLane> {
  assertIdle(world, lane);
  const started = startAttempt(world, run, { lane, kind: 'validate', hire: undefined });
  if (started.kind === 'not-now') {
    throw new ExplainedError(`lane ${lane.key} cannot be verified now: ${started.why}`, {
      hint: 'see `lanehold orchestrate status`',
    });
  }
  launchSupervisor(world, started.attempt);
  tell(`Verifying lane ${lane.key} …`);
  await untilIdle(world, [lane.id], tell);
  const after = laneStore(world.store).byId(lane.id) ?? lane;
  const attempt = attemptStore(world.store).byId(started.attempt.id);
  const validation = laneValidationStore(world.store)
    .ofLane(lane.id)
    .findLast(({ attemptId }) => attemptId === started.attempt.id);
  const reason = [attempt?.endReason, attempt?.endDetail].filter(Boolean).join(': ');
  const text =
    after.state === 'verified'
      ? `Lane ${lane.key} is verified at ${after.headSha?.slice(0, 12)}`
      : `Lane ${lane.key} is ${after.state}: ${reason}\nSee: lanehold orchestrate logs ${lane.key}`;
  return { lane: after, validation, text };
}
