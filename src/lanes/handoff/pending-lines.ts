/** Features of the project that were changed outside of the lanes and are not verified yet. */
import { existsSync } from 'node:fs';
import { pendingSummary } from '../../features/pending.ts';
import { pendingStore } from '../../store/pending.ts';
import type { Board } from '../board/board.ts';
import type { LaneContext } from '../context.ts';
import { code } from '../quoting.ts';
import type { Line } from './line.ts';

/** One line for each working tree. What a lane changes is validated with the lane. */
export function pendingLines({ store }: LaneContext, { run, lanes }: Board): Line[] {
  const ofLanes = new Set(lanes.map(({ worktree }) => worktree));
  const pending = pendingStore(store)
    .ofProject(run.projectId)
    .filter(({ worktree }) => !ofLanes.has(worktree) && existsSync(worktree));
  return [...Map.groupBy(pending, ({ worktree }) => worktree)].map(([worktree, features]) => ({
    about: `pending ${worktree}`,
    section: 'waiting',
    text: `changed and not verified in ${code(worktree, 400)}: ${pendingSummary(features)}`,
    commands: ['lanehold feature verify --pending'],
    source: {},
    claims: [],
  }));
}
