/** One line for the status bar of an agent, or a shell prompt. */
import type { QuickStatus } from '../../app/setup/quick-status.ts';
import { enumerated, plural } from '../../base/text/count.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import type { LaneState } from '../../store/lanes.ts';

const MOST_NAMED = 3;

const AT_WORK: readonly LaneState[] = ['starting', 'running', 'validating', 'integrating'];
/** States of lanes in words that say what the person is asked for. */
const WAITS: Readonly<Partial<Record<LaneState, string>>> = {
  asks: 'asks',
  failed: 'failed',
  conflict: 'conflict',
  culprit: 'breaks the others',
};

export function statusline({ pending, pushes, lanes, disabled, gaps }: QuickStatus): string {
  if (disabled) return 'lanehold: off (LANEHOLD_DISABLE=1)';
  const unguarded = [...new Set(gaps.map(({ agent }) => agent))];
  const names = pending.map(({ feature }) => feature);
  const held = pushes.map(({ source }) => shortRef(source));
  const waiting = lanes.flatMap(({ key, state }) =>
    WAITS[state] === undefined ? [] : [`${key} ${WAITS[state]}`],
  );
  const working = lanes.filter(({ state }) => AT_WORK.includes(state)).length;
  const parts = [
    ...(unguarded.length === 0 ? [] : [`unguarded: ${enumerated(unguarded, MOST_NAMED)}`]),
    ...(waiting.length === 0 ? [] : [`waits for you: ${enumerated(waiting, MOST_NAMED)}`]),
    ...(names.length === 0 ? [] : [`${names.length} to verify: ${enumerated(names, MOST_NAMED)}`]),
    ...(held.length === 0 ? [] : [`held push: ${enumerated(held, MOST_NAMED)}`]),
    ...(working === 0 ? [] : [`${plural(working, 'lane')} at work`]),
  ];
  return `lanehold: ${parts.join('; ') || 'nothing to verify'}`;
}
