/**
 * Asks the coordinator what is right where a lane was mended and is refused for the same reason: the next
 * worker would do what the last one did.
 */
import { attemptStore } from '../../store/attempts.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { recordReport } from '../messages/say.ts';
import type { LaneContext } from '../model/context.ts';
import { named, type RefusedCommit, refusedCommit } from './refusal.ts';

const ASKER = 'lanehold';

/** @returns whether a question is open now. */
export function askIfAgain(context: LaneContext, run: Run, lane: LaneView): boolean {
  const { store } = context;
  const refusals = integrationStore(store)
    .ofRun(run.id)
    .flatMap((row) => (row.laneId === lane.id ? (refusedCommit(row) ?? []) : []));
  const last = refusals.at(-1);
  const before = refusals.findLast(({ row }) => row.laneSha !== last?.row.laneSha);
  if (last === undefined || before === undefined || reason(last) !== reason(before)) return false;
  const asked = laneReportStore(store).ofLane(lane.id);
  if (asked.some((it) => it.by === ASKER && it.kind === 'ask' && it.answeredAt === null)) {
    return true;
  }
  const attempt = attemptStore(store).lastOf(lane) ?? null;
  recordReport(context, { lane, attempt }, { kind: 'ask', text: question(last), by: ASKER });
  return true;
}

function question({ row, detail }: RefusedCommit): string {
  const { paths, command, failures, with: keys } = detail;
  if (row.state === 'conflict') {
    return `It conflicts with ${named(keys)} in ${paths.join(', ')} again, after it was mended. What should be there, or which lane gives way?`;
  }
  const which = failures.length === 0 ? '' : ` (${failures.join(', ')})`;
  return `Merged with ${named(keys)} it fails \`${command}\` again, after it was mended${which}. What is right, this lane or the others?`;
}

function reason({ row, detail: { paths, command, failures } }: RefusedCommit): string {
  const parts = row.state === 'conflict' ? paths : [command, ...failures];
  return JSON.stringify([row.state, ...[...parts].sort()]);
}
