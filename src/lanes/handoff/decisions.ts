/** Decisions made so far: answers to questions, and notes on lanes. */
import { laneReportStore, type Report } from '../../store/lane-reports.ts';
import { printableLine } from '../../text/printable.ts';
import type { Board } from '../board/board.ts';
import type { LaneContext } from '../context.ts';
import type { Line } from './line.ts';

export interface Decision {
  readonly report: string;
  readonly lane: string;
  readonly kind: 'answer' | 'note';
  /** `null` for a note. */
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
  readonly at: Date;
}

/** Newest first. */
export function decisionsOf({ store }: LaneContext, board: Board): readonly Decision[] {
  const reports = laneReportStore(store);
  return board.lanes
    .flatMap(({ id, key }) => reports.ofLane(id).flatMap((report) => toDecision(key, report)))
    .sort((a, b) => b.at.getTime() - a.at.getTime());
}

function toDecision(lane: string, it: Report): Decision[] {
  const { id: report, body, answer, answeredAt, answeredBy } = it;
  if (it.kind === 'note') {
    return [{ report, lane, kind: 'note', question: null, text: body, by: it.by, at: it.at }];
  }
  if (it.kind !== 'ask' || answer === null || answeredAt === null) return [];
  const by = answeredBy ?? 'somebody';
  return [{ report, lane, kind: 'answer', question: body, text: answer, by, at: answeredAt }];
}

export function decisionLine({ report, lane, kind, question, text, by }: Decision): Line {
  return {
    about: `decision ${report}`,
    section: 'decisions',
    text: `${kind === 'note' ? 'note on' : 'answer to'} **${lane}** by ${printableLine(by)}:`,
    quote: question === null ? text : `${question}\n→ ${text}`,
    source: { report },
    claims: [],
  };
}
