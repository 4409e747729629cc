/** Validates what is in a lane's worktree now, without a worker. */
import { ExplainedError } from '../errors.ts';
import { attemptStore } from '../store/attempts.ts';
import { laneValidationStore, type Validation } from '../store/lane-validations.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import type { LaneContext } from './context.ts';
import { assertIdle } from './edit.ts';
import { launchSupervisor } from './launch.ts';
import { startAttempt } from './start.ts';
import { untilIdle } from './wait.ts';

export interface VerifiedLane {
  readonly lane: LaneView;
  readonly validation: Validation | undefined;
  readonly text: string;
}

/** @throws {ExplainedError} if an attempt is live, or the lane cannot be validated now. */
export async function verifyLane(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  tell: (line: string) => void,
): Promise<VerifiedLane> {
  assertIdle(context, lane);
  const started = startAttempt(context, run, { lane, kind: 'validate', worker: undefined });
  if (started.kind === 'not-now') {
    throw new ExplainedError(`lane ${lane.key} cannot be verified now: ${started.why}`, {
      hint: 'see `lanehold orchestrate status`',
    });
  }
  launchSupervisor(context, started.attempt);
  tell(`Verifying lane ${lane.key} …`);
  await untilIdle(context, [lane.id], tell);
  const after = laneStore(context.store).byId(lane.id) ?? lane;
  const attempt = attemptStore(context.store).byId(started.attempt.id);
  const validation = laneValidationStore(context.store)
    .ofLane(lane.id)
    .findLast(({ attemptId }) => attemptId === started.attempt.id);
  const reason = [attempt?.endReason, attempt?.endDetail].filter(Boolean).join(': ');
  const text =
    after.state === 'verified'
      ? `Lane ${lane.key} is verified at ${after.headSha?.slice(0, 12)}`
      : `Lane ${lane.key} is ${after.state}: ${reason}\nSee: lanehold orchestrate logs ${lane.key}`;
  return { lane: after, validation, text };
}
