/**
 * Removes what finished runs have left behind: worktrees, lanehold's own refs, the output of attempts.
 * Only what is preserved elsewhere is removed; branches and evidence always stay.
 */
import { existsSync } from 'node:fs';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import type { GcItem, GcWish } from './item.ts';
import { collectAttempts } from './old-attempts.ts';
import { collectRefs } from './run-refs.ts';
import { collectPurposes } from './scratch-trees.ts';
import { collectWorktree } from './worktrees.ts';

export interface GcReport {
  readonly removed: readonly GcItem[];
  readonly kept: readonly GcItem[];
}

export async function collectRun(context: LaneContext, run: Run, wish: GcWish): Promise<GcReport> {
  const lanes = laneStore(context.store).ofRun(run.id);
  const hindrance = reasonToKeepAll(context, run, lanes, wish);
  if (hindrance !== undefined) {
    const trees = lanes.flatMap(({ worktree }) => worktree ?? []);
    return {
      removed: [],
      kept: trees.map((name) => ({ run: run.name, what: 'worktree', name, why: hindrance })),
    };
  }
  const items: GcItem[] = [];
  // Worktrees first: their content may be kept by nothing but a ref that is removed below.
  for (const lane of lanes) items.push(...(await collectWorktree(context, run, lane, wish)));
  items.push(...(await collectPurposes(context, run, wish)));
  items.push(...(await collectRefs(context, run, lanes, wish)));
  items.push(...collectAttempts(context, run, lanes, wish));
  return {
    removed: items.filter(({ why }) => why === undefined),
    kept: items.filter(({ why }) => why !== undefined),
  };
}

function reasonToKeepAll(
  { store }: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  { refs }: GcWish,
): string | undefined {
  if (!existsSync(run.commonDir)) return 'the repository is not where it was';
  const attempts = attemptStore(store);
  const busy = lanes.find(({ id }) => attempts.ofLane(id).some(isLive));
  if (busy !== undefined) return `lane ${busy.key} is at work`;
  const over = run.intent === 'cancelled' || run.intent === 'closed';
  const landed = lanes.length > 0 && lanes.every(({ state }) => OVER.has(state));
  if (over || landed || refs === 'drop') return undefined;
  return `the run is ${run.intent}`;
}

const OVER: ReadonlySet<string> = new Set(['landed', 'cancelled']);
