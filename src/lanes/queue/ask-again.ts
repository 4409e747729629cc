/** The question that is asked where a mended lane is refused for the same reason as before. */
import { attemptStore } from '../../store/attempts.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { type RefusedCommit, refusalClause, refusedCommit } from '../spec/refused-commit.ts';
import { recordReport } from '../talk/say.ts';

const ASKER = 'lanehold';

/**
 * Asks the coordinator what is right where a lane was mended and is refused for the same reason: the next
 * worker would do what the last one did.
 *
 * @returns whether a question is open now.
 */
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

function reason({ row, detail: { paths, command, failures } }: RefusedCommit): string {
  const parts = row.state === 'conflict' ? paths : [command, ...failures];
  return JSON.stringify([row.state, ...parts.toSorted()]);
}

function question(refused: RefusedCommit): string {
  const wanted =
    refused.row.state === 'conflict'
      ? 'What should be there, or which lane gives way?'
      : 'What is right, this lane or the others?';
  return `It ${refusalClause(refused)}, again after it was mended. ${wanted}`;
}
