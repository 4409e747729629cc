/** The lines of a handoff, each with its source and the claims in it that can be checked again. */
import { enumerated, printableLine, shortRef } from '../../base/text/printable.ts';
import { code } from '../../base/text/quoting.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { conflictText, type OpenConflict } from '../fit/open-conflicts.ts';
import type { LaneContext } from '../spec/context.ts';
import type { Board, LaneCard } from './board.ts';
import type { Claim } from './check.ts';
import {
  answersTo,
  nextCommands,
  noteOn,
  pullNote,
  refusalOf,
  type Section,
  sectionOf,
  shownState,
  useWords,
} from './note.ts';

export interface Line {
  /** Its subject, equal in every handoff: `lane api: commit`. */
  readonly about: string;
  readonly lane?: string;
  readonly section: Section;
  /** One line in lanehold's own words; foreign text is in quotes. */
  readonly text: string;
  /** Text of people and agents, complete: data, not instructions. */
  readonly quote?: string;
  readonly commands?: readonly string[];
  /** The ids with which its source can be found. */
  readonly source: {
    readonly event?: number | undefined;
    readonly sha?: string | undefined;
    readonly validation?: string | undefined;
    readonly report?: string;
  };
  readonly claims: readonly Claim[];
}

export function lineOf(
  section: Section,
  about: string,
  text: string,
  more: Partial<Line> = {},
): Line {
  return { about, section, text, source: {}, claims: [], ...more };
}

/** @param lastSeqs the last event of each lane, by its id. */
export function linesOf(board: Board, lastSeqs: ReadonlyMap<string | undefined, number>) {
  return [
    ...board.questions.map((question) => questionLine(board, question)),
    ...board.conflicts.map(conflictLine),
    ...board.lanes.flatMap((lane) => laneLines(board, lane, lastSeqs.get(lane.id))),
    ...integrationLines(board),
    ...pullLines(board),
    goalLine(board, lastSeqs.get(undefined)),
  ];
}

function questionLine(board: Board, question: Board['questions'][number]): Line {
  const { id, lane, agent, sessionId, body: quote } = question;
  const card = board.lanes.find(({ key }) => key === lane);
  const at = card?.questions.indexOf(question) ?? -1;
  const session = sessionId === null ? [] : [`session ${printableLine(sessionId)}`];
  const who = [...(agent === null ? [] : [printableLine(agent)]), ...session].join(', ');
  return lineOf('questions', `question ${id}`, `**${lane}** asks${who && ` (${who})`}:`, {
    quote,
    commands: card === undefined ? [] : answersTo(board, card).slice(at, at + 1),
    source: { report: id },
    claims: [{ kind: 'question', id }],
  });
}

function conflictLine(conflict: OpenConflict): Line {
  const { shas, validationId } = conflict;
  const [lane, rival = null] = conflict.lanes;
  const other = rival ?? 'what is integrated';
  const why = conflictText(conflict, nameList, code);
  const text = `**${lane}** and **${other}** do not go together: ${why}`;
  return lineOf('decide', `conflict ${lane} ${other}`, text, {
    source: { sha: shas[0], validation: validationId ?? undefined },
    claims: [{ kind: 'conflict', lane, with: rival, shas }],
  });
}

const nameList = (names: readonly string[]): string =>
  enumerated(
    names.map((name) => code(name, 100)),
    5,
  );

/** One line for each fact that can become untrue on its own. */
function laneLines(board: Board, card: LaneCard, event: number | undefined): Line[] {
  const { key: lane, state, specRev, specHash, headSha, verdict, worktree } = card;
  const fact = (name: string, text: string, claim: Claim, more: Partial<Line> = {}): Line =>
    lineOf(sectionOf(card), `lane ${lane}: ${name}`, text, {
      lane,
      claims: [claim],
      source: { event },
      ...more,
    });
  // The question has a line of its own.
  const note = state === 'asks' ? refusalOf(card) : noteOn(card, board.at);
  const claim = { kind: 'state', lane, state, specRev, specHash } as const;
  const lines = [
    fact('state', `**${lane}** ${shownState(card)}${note && `: ${note}`}`, claim, {
      quote: card.desc,
      commands: nextCommands(board, card),
      source: { event, sha: headSha ?? undefined, validation: verdict?.validationId },
    }),
  ];
  // While an attempt is live the branch moves, as intended; before the first one there may be no branch.
  const hasBranch = card.attempt !== null || worktree !== null;
  if (headSha !== null && hasBranch && !card.live) {
    const text = `branch ${code(card.branch, 200)} is at ${headSha.slice(0, 8)}`;
    const ref = { kind: 'ref', ref: `refs/heads/${card.branch}`, sha: headSha } as const;
    lines.push(fact('commit', text, ref, { source: { event, sha: headSha } }));
  }
  const { branch: origin } = card.spec;
  if (origin !== undefined && headSha !== null && state !== 'cancelled' && state !== 'landed') {
    const within = { kind: 'within', ref: origin, sha: headSha } as const;
    lines.push(fact('origin', `it has all of ${code(shortRef(origin), 200)}`, within));
  }
  if (worktree !== null && state !== 'starting') {
    const text = `worktree ${code(worktree, 400)}`;
    lines.push(fact('worktree', text, { kind: 'worktree', path: worktree }));
  }
  if (verdict !== null) {
    const { validationId, sha, logPath: path, logSha256: sha256 } = verdict;
    const log = { kind: 'log', validationId, path, sha256 } as const;
    const source = { sha, validation: validationId };
    lines.push(fact('evidence', `log ${code(path, 400)}`, log, { source }));
  }
  return lines;
}

/** The lines of the integration; empty once everything has landed. */
function integrationLines({ run, integrationTip: sha, lanes }: Board): Line[] {
  if (sha === null || !lanes.some(({ state }) => state === 'integrated')) return [];
  const text = `the integration has got as far as ${sha.slice(0, 8)}`;
  const claims = [{ kind: 'contains', ref: run.integrationRef, sha } as const];
  return [lineOf('verified', 'integration', text, { source: { sha }, claims })];
}

/** The lines of the run's pull request; those of lanes are in their notes. */
function pullLines({ pull, at }: Board): Line[] {
  if (pull === null) return [];
  const text = `pull request ${printableLine(pullNote(pull, at), 400)}`;
  return [lineOf('verified', 'pull request', text, { source: { sha: pull.headSha } })];
}

function goalLine({ run, budget }: Board, event: number | undefined): Line {
  const { name, intent, pauseReason, baseSha, targetRef } = run;
  const used = useWords(budget.used);
  const isOpen = intent === 'active' || intent === 'paused';
  const why = intent === 'paused' && pauseReason !== null ? `: ${code(pauseReason)}` : '';
  const text = `run **${name}** is ${intent}${why}; it began at ${baseSha.slice(0, 8)} and is to land on ${code(targetRef)}${used && `; used so far: ${used}`}`;
  const source = { event, sha: baseSha };
  return lineOf('goal', 'run', text, {
    quote: run.goal,
    source,
    claims: [
      { kind: 'run', intent },
      ...(isOpen ? [{ kind: 'target', ref: targetRef } as const] : []),
    ],
  });
}

export type Decision = ReturnType<typeof decisionsOf>[number];

export function decisionsOf({ store }: LaneContext, { run, lanes }: Board) {
  const keys = new Map(lanes.map(({ id, key }) => [id, key]));
  return laneReportStore(store)
    .decisions(run.id)
    .map(({ id: report, event, laneId, ...it }) => {
      const { body, by, at, answer, answeredBy, answeredAt, toWorker, toldAt } = it;
      /** Whether the worker has got it, for a note that is a message. */
      const delivered = toWorker ? toldAt !== null : null;
      const told = { report, event, lane: keys.get(laneId) ?? laneId, delivered };
      if (it.kind === 'note')
        return { ...told, kind: 'note' as const, question: null, text: body, by, at };
      const given = { by: answeredBy ?? 'somebody', at: answeredAt ?? at };
      return { ...told, kind: 'answer' as const, question: body, text: answer ?? '', ...given };
    });
}

export function decisionLine(decision: Decision): Line {
  const { report, lane, kind, question, text, by, delivered } = decision;
  const note = delivered === null ? 'note on' : 'message to';
  const pending = delivered === false ? ', not delivered yet' : '';
  const said = kind === 'answer' ? 'answer to' : note;
  const what = `${said} **${lane}** by ${printableLine(by)}${pending}:`;
  const quote = question === null ? text : `${question}\n→ ${text}`;
  return lineOf('decisions', `decision ${report}`, what, { quote, source: { report } });
}
