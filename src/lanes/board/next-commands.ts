/** Commands that move a lane on, in the order in which to try them. */
import type { Board } from './board.ts';
import type { LaneCard } from './lane-cards.ts';

export function nextCommands({ runOption }: Board, lane: LaneCard): string[] {
  return wordsFor(lane).map((words) => `lanehold orchestrate ${words}${runOption}`);
}

function wordsFor(lane: LaneCard): string[] {
  const { key, state } = lane;
  const logs = `logs ${key}`;
  switch (state) {
    case 'planned':
      return [`spawn ${key}`];
    case 'starting':
    case 'running':
    case 'validating':
      return lane.supervision === 'supervised' ? [`${logs} -f`] : ['sync', logs];
    case 'failed':
      return [logs, ...afterFailure(lane)];
    case 'asks':
      return [`answer ${key} '<text>'`];
    case 'parked':
      return [`resume ${key}`];
    case 'blocked':
      return [`lane block ${key} --clear`];
    case 'stale':
      return [`verify ${key}`];
    case 'conflict':
    case 'culprit':
      return [logs, `retry ${key}`];
    case 'verified':
      return ['integrate'];
    case 'integrated':
      return ['land'];
    case 'integrating':
    case 'ready':
    case 'waiting':
    case 'cancelled':
    case 'landed':
      return [];
  }
}

function afterFailure({ key, attempt }: LaneCard): string[] {
  if (isScope(attempt?.endDetail)) return [`lane widen ${key} --touches '<glob>'`, `verify ${key}`];
  return [`retry ${key}`];
}

/** Only its declared scope was exceeded: the work may be fine. */
function isScope(detail: string | null | undefined): boolean {
  return detail?.startsWith('scope') === true;
}
