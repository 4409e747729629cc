/** A worker's assignment in a few lines: for the start of its session, and after a compaction. */
import { enumerated } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import type { InsideLane } from './inside-lane.ts';

const MOST_CHARS = 700;

export function assignmentText({ run, lane, worktree }: InsideLane): string {
  const { desc, touches } = lane.spec;
  const scope = touches.length === 0 ? 'any file in it' : enumerated(touches, 12);
  const judged =
    lane.validateCmd === null
      ? 'No validation is set for it.'
      : `When you end, lanehold judges it by: ${printableLine(lane.validateCmd, 200)}`;
  return [
    `lanehold: you work on lane ${lane.key} of run ${run.name}, in ${printableLine(worktree, 200)} and nowhere else.`,
    `What for (written by its author): ${printableLine(desc, MOST_CHARS)}`,
    `The run's goal: ${printableLine(run.goal, MOST_CHARS)}`,
    `You may write: ${scope}. ${judged}`,
    'Commit or not as you like; do not push, stash or switch branches. Unsure what is wanted: `lanehold orchestrate ask "…"`, then go on with something else or end your turn.',
  ].join('\n');
}
