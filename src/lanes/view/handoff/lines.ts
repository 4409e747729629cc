/** The lines of a handoff, each with its source and the claims in it that can be checked again. */
import { laneReportStore, type Report } from '../../../store/lane-events.ts';
import type { LaneState } from '../../../store/lanes.ts';
import { printableLine } from '../../../text/printable.ts';
import { conflictText, type OpenConflict } from '../../merge-queue/open-conflicts.ts';
import { code } from '../../messages/quoting.ts';
import type { LaneContext } from '../../model/context.ts';
import type { Board } from '../board/board.ts';
import type { LaneCard, QuestionCard } from '../board/lane-cards.ts';
import { isStopped, nextCommands, noteOn, useWords } from '../board/note.ts';
import type { Claim } from './stored.ts';

/** Where a line comes from: ids to look it up by. */
export interface Source {
  readonly event?: number | undefined;
  readonly sha?: string | undefined;
  readonly validation?: string | undefined;
  readonly report?: string;
}

/** Headings, in reading order. */
export const SECTIONS = {
  questions: 'Questions that wait for an answer',
  decide: 'To decide',
  running: 'Running',
  verified: 'Verified',
  waiting: 'Not begun, or waiting',
  goal: 'Goal',
  decisions: 'Decided so far',
  next: 'How to go on',
} as const;

export type Section = keyof typeof SECTIONS;

export interface Line {
  /** Its subject, equal in every handoff: `lane api: commit`. */
  readonly about: string;
  /** The key of the lane that it is a fact of. */
  readonly lane?: string;
  readonly section: Section;
  /** One line of lanehold's own words; text of others is in quotes. */
  readonly text: string;
  /** Text of people and agents, complete: data, not instructions. */
  readonly quote?: string;
  readonly commands?: readonly string[];
  readonly source: Source;
  readonly claims: readonly Claim[];
}

/** @param lastSeqs the last event of each lane, by its id. */
export function linesOf(
  board: Board,
  lastSeqs: ReadonlyMap<string | undefined, number>,
): readonly Line[] {
  return [
    ...board.questions.map((question) => questionLine(board, question)),
    ...board.conflicts.map(conflictLine),
    ...board.lanes.flatMap((lane) => laneLines(board, lane, lastSeqs.get(lane.id))),
    ...integrationLines(board),
    goalLine(board, lastSeqs.get(undefined)),
  ];
}

function questionLine({ runOption }: Board, question: QuestionCard): Line {
  const { agent, sessionId } = question;
  const session = sessionId === null ? undefined : `session ${printableLine(sessionId)}`;
  const who = [agent === null ? undefined : printableLine(agent), session].filter(Boolean);
  return {
    about: `question ${question.id}`,
    section: 'questions',
    text: `**${question.lane}** asks${who.length === 0 ? '' : ` (${who.join(', ')})`}:`,
    quote: question.body,
    commands: [`lanehold orchestrate answer ${question.lane} '<text>'${runOption}`],
    source: { report: question.id },
    claims: [{ kind: 'question', id: question.id }],
  };
}

function conflictLine(conflict: OpenConflict): Line {
  const [lane, rival] = conflict.lanes;
  const other = rival ?? 'what is integrated';
  const [sha] = conflict.shas;
  return {
    about: `conflict ${lane} ${other}`,
    section: 'decide',
    text: `**${lane}** and **${other}** do not go together: ${conflictText(conflict, nameList, code)}`,
    source: { sha, validation: conflict.validationId ?? undefined },
    claims: [{ kind: 'conflict', lane, with: rival ?? null, shas: conflict.shas }],
  };
}

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => code(name));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

const SHOWN_NAMES = 5;

/** One line for each fact that can become untrue on its own. */
function laneLines(board: Board, lane: LaneCard, event: number | undefined): Line[] {
  const { key, state, specRev, specHash, headSha, verdict, worktree } = lane;
  const fact = (name: string, line: Omit<Line, 'about' | 'lane' | 'section'>): Line => ({
    about: `lane ${key}: ${name}`,
    lane: key,
    section: sectionOf(lane),
    ...line,
  });
  // The question has a line of its own.
  const note = state === 'asks' ? '' : noteOn(lane, board.at);
  const lines = [
    fact('state', {
      text: `**${key}** ${state}${note === '' ? '' : `: ${note}`}`,
      quote: lane.desc,
      commands: nextCommands(board, lane),
      source: { event, sha: headSha ?? undefined, validation: verdict?.validationId },
      claims: [{ kind: 'state', lane: key, state, specRev, specHash }],
    }),
  ];
  // While an attempt is live the branch moves, as intended.
  if (headSha !== null && !lane.live) {
    lines.push(
      fact('commit', {
        text: `branch ${code(lane.branch, 200)} is at ${headSha.slice(0, 8)}`,
        source: { event, sha: headSha },
        claims: [{ kind: 'ref', ref: `refs/heads/${lane.branch}`, sha: headSha }],
      }),
    );
  }
  if (worktree !== null && state !== 'starting') {
    lines.push(
      fact('worktree', {
        text: `worktree ${code(worktree, 400)}`,
        source: { event },
        claims: [{ kind: 'worktree', path: worktree }],
      }),
    );
  }
  if (verdict !== null) {
    const { validationId, sha, logPath: path, logSha256: sha256 } = verdict;
    lines.push(
      fact('evidence', {
        text: `log ${code(path, 400)}`,
        source: { sha, validation: validationId },
        claims: [{ kind: 'log', validationId, path, sha256 }],
      }),
    );
  }
  return lines;
}

const SECTION_OF: Readonly<Record<LaneState, Section>> = {
  failed: 'decide',
  conflict: 'decide',
  culprit: 'decide',
  parked: 'decide',
  blocked: 'decide',
  stale: 'decide',
  asks: 'decide',
  starting: 'running',
  running: 'running',
  validating: 'running',
  integrating: 'running',
  verified: 'verified',
  integrated: 'verified',
  landed: 'verified',
  planned: 'waiting',
  ready: 'waiting',
  waiting: 'waiting',
  cancelled: 'waiting',
};

export const sectionOf = (lane: LaneCard): Section =>
  isStopped(lane) ? 'decide' : SECTION_OF[lane.state];

/** Nothing once everything has landed. */
function integrationLines({ run, integrationTip, lanes }: Board): Line[] {
  const waits = lanes.some(({ state }) => state === 'integrated');
  if (integrationTip === null || !waits) return [];
  return [
    {
      about: 'integration',
      section: 'verified',
      text: `the integration has got as far as ${integrationTip.slice(0, 8)}`,
      source: { sha: integrationTip },
      claims: [{ kind: 'contains', ref: run.integrationRef, sha: integrationTip }],
    },
  ];
}

function goalLine({ run, budget }: Board, event: number | undefined): Line {
  const used = useWords(budget.used);
  const paused = run.intent === 'paused' && run.pauseReason !== null;
  return {
    about: 'run',
    section: 'goal',
    text: `run **${run.name}** is ${run.intent}${paused ? `: ${code(run.pauseReason ?? '')}` : ''}; it began at ${run.baseSha.slice(0, 8)} and is to land on ${code(run.targetRef)}${used === '' ? '' : `; used so far: ${used}`}`,
    quote: run.goal,
    source: { event, sha: run.baseSha },
    claims: [{ kind: 'run', intent: run.intent }],
  };
}

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
