/** A board as lines, each with its source and its claims. */
import { printableLine } from '../../text/printable.ts';
import type { Board } from '../board/board.ts';
import type { LaneCard, QuestionCard } from '../board/lane-cards.ts';
import { nextCommands } from '../board/next-commands.ts';
import { noteOn } from '../board/note.ts';
import type { OpenConflict } from '../integration/open-conflicts.ts';
import { code } from '../quoting.ts';
import type { Line, Section } from './line.ts';

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
  const why =
    conflict.paths.length > 0
      ? `git cannot merge ${pathList(conflict.paths)}`
      : `merged, ${code(conflict.command ?? 'the validation')} fails`;
  const [sha] = conflict.shas;
  return {
    about: `conflict ${lane} ${other}`,
    section: 'decide',
    text: `**${lane}** and **${other}** do not go together: ${why}`,
    source: conflict.validationId === null ? { sha } : { sha, validation: conflict.validationId },
    claims: [{ kind: 'conflict', lane, with: rival ?? null, shas: conflict.shas }],
  };
}

const SHOWN_PATHS = 5;

function pathList(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => code(path));
  const more = paths.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

/** One line for each fact that can become untrue on its own. */
function laneLines(board: Board, lane: LaneCard, event: number | undefined): Line[] {
  const section = sectionOf(lane);
  const about = `lane ${lane.key}`;
  const seq = event === undefined ? {} : { event };
  // The question has a line of its own.
  const note = lane.state === 'asks' ? '' : noteOn(lane, board.at);
  const lines: Line[] = [
    {
      about: `${about}: state`,
      section,
      text: `**${lane.key}** ${lane.state}${note === '' ? '' : `: ${note}`}`,
      quote: lane.desc,
      commands: nextCommands(board, lane),
      source: {
        ...seq,
        ...(lane.headSha === null ? {} : { sha: lane.headSha }),
        ...(lane.verdict === null ? {} : { validation: lane.verdict.validationId }),
      },
      claims: [
        {
          kind: 'state',
          lane: lane.key,
          state: lane.state,
          specRev: lane.specRev,
          specHash: lane.specHash,
        },
      ],
    },
  ];
  // While an attempt is live the branch moves, as intended.
  if (lane.headSha !== null && !lane.live) {
    lines.push({
      about: `${about}: commit`,
      section,
      text: `branch ${code(lane.branch, 200)} is at ${lane.headSha.slice(0, 8)}`,
      source: { ...seq, sha: lane.headSha },
      claims: [{ kind: 'ref', ref: `refs/heads/${lane.branch}`, sha: lane.headSha }],
    });
  }
  if (lane.worktree !== null && lane.state !== 'starting') {
    lines.push({
      about: `${about}: worktree`,
      section,
      text: `worktree ${code(lane.worktree, 400)}`,
      source: seq,
      claims: [{ kind: 'worktree', path: lane.worktree }],
    });
  }
  if (lane.verdict !== null) lines.push(evidenceLine(about, section, lane.verdict));
  return lines;
}

function evidenceLine(
  about: string,
  section: Section,
  verdict: NonNullable<LaneCard['verdict']>,
): Line {
  const { validationId, sha, logPath, logSha256 } = verdict;
  return {
    about: `${about}: evidence`,
    section,
    text: `log ${code(logPath, 400)}`,
    source: { sha, validation: validationId },
    claims: [{ kind: 'log', validationId, path: logPath, sha256: logSha256 }],
  };
}

export function sectionOf({ state }: LaneCard): Section {
  switch (state) {
    case 'failed':
    case 'conflict':
    case 'culprit':
    case 'parked':
    case 'blocked':
    case 'stale':
    case 'asks':
      return 'decide';
    case 'starting':
    case 'running':
    case 'validating':
    case 'integrating':
      return 'running';
    case 'verified':
    case 'integrated':
    case 'landed':
      return 'verified';
    case 'planned':
    case 'ready':
    case 'waiting':
    case 'cancelled':
      return 'waiting';
  }
}

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

function goalLine({ run }: Board, event: number | undefined): Line {
  const paused = run.intent === 'paused' && run.pauseReason !== null;
  return {
    about: 'run',
    section: 'goal',
    text: `run **${run.name}** is ${run.intent}${paused ? `: ${code(run.pauseReason ?? '')}` : ''}; it began at ${run.baseSha.slice(0, 8)} and is to land on ${code(run.targetRef)}`,
    quote: run.goal,
    source: { ...(event === undefined ? {} : { event }), sha: run.baseSha },
    claims: [{ kind: 'run', intent: run.intent }],
  };
}
