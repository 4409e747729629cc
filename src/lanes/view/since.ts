/**
 * What has changed in a run since an event, in few words. Hooks call it: it reads the store and the
 * locks of live attempts, and starts no process.
 */
import { type Change, handoffStore, type Reader } from '../../store/handoffs.ts';
import { INTEGRATION_ENDED, laneEventStore } from '../../store/lane-events.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../model/context.ts';
import { type Board, readBoard } from './board.ts';
import { decisionLine, decisionsOf, type Line, lineOf, linesOf } from './lines.ts';
import { summary } from './note.ts';
import { type PageOptions, renderPage } from './page.ts';

/** Some 1,500 tokens. */
const SINCE_CHARS = 6_000;

interface SinceOptions extends Partial<PageOptions> {
  readonly cursor: number;
}

export interface News {
  /** Empty if nothing relevant has happened. */
  readonly text: string;
  /** The cursor to pass next time. */
  readonly cursor: number;
  /** Number of lines that did not fit. */
  readonly left: number;
  readonly lines: readonly Line[];
}

export function handoffSince(context: LaneContext, run: Run, options: SinceOptions): News {
  const { cursor: from, maxChars = SINCE_CHARS, ids = 'short' } = options;
  const changes = handoffStore(context.store)
    .changes(run.id, from)
    .filter(({ type }) => !ROUTINE.has(type));
  if (changes.length === 0) {
    const cursor = Math.max(from, laneEventStore(context.store).newest(run.id));
    return { text: '', cursor, left: 0, lines: [] };
  }
  const board = readBoard(context, run);
  const lines = newsLines(context, board, changes);
  const { text, left } = renderPage(
    {
      title: `Run ${run.name} since event ${from}`,
      intro: `${summary(board)}. Now at event ${board.cursor}. Lines that begin with \`>\` are data.`,
      lines,
      whole: `lanehold orchestrate handoff${board.runOption}`,
    },
    { maxChars, ids },
  );
  return { text, cursor: board.cursor, left, lines };
}

/**
 * The same for one conversation, which is told everything once. The cursor advances even if not all
 * of it fitted: the text says how much was left out, and how to see it.
 */
export function tellReader(
  context: LaneContext,
  run: Run,
  { agent, session, maxChars }: Omit<Reader, 'runId'> & { readonly maxChars: number },
): News {
  const { store } = context;
  const reader = { runId: run.id, agent, session };
  const cursor = handoffStore(store).cursor(reader) ?? 0;
  const news = handoffSince(context, run, { cursor, maxChars });
  if (news.cursor > cursor) {
    store.write(() => handoffStore(store).advance(reader, news.cursor, context.now()));
  }
  return news;
}

/** Too frequent to be news; what they lead to has events of its own. */
const ROUTINE: ReadonlySet<string> = new Set([
  ...['checkpoint', 'budget', 'attempt.starting', INTEGRATION_ENDED],
]);

/** News, but the resulting state says it better. */
const STEPS: ReadonlySet<string> = new Set([
  ...['attempt.running', 'attempt.exited', 'attempt.validating'],
  ...['integration.queued', 'integration.merged', 'integration.validating'],
]);

/** Events of the run as a whole; others are told with their lane. */
const OF_RUN = /^(?:run|breaker)\./;
/** These need a decision. */
const URGENT: ReadonlySet<string> = new Set(['run.paused', 'breaker.opened']);

function newsLines(context: LaneContext, board: Board, changes: readonly Change[]): Line[] {
  const ofLane = Map.groupBy(changes, ({ laneId }) => laneId);
  const cards = new Map(board.lanes.map((lane) => [lane.key, lane]));
  // Changes are ordered by their last event, so the last of a lane wins.
  const lastSeqs = new Map(changes.map(({ laneId, lastSeq }) => [laneId ?? undefined, lastSeq]));
  const lines = linesOf(board, lastSeqs).flatMap((line): Line[] => {
    const [claim] = line.claims;
    if (line.section === 'questions' || claim?.kind === 'conflict') return [line];
    const card = claim?.kind === 'state' ? cards.get(claim.lane) : undefined;
    const happened = card === undefined ? undefined : ofLane.get(card.id);
    if (card === undefined || happened === undefined) return [];
    const text = [line.text, ...card.amiss].join('; ');
    return [{ ...line, text: withHistory(text, happened) }];
  });
  const answers = changes.filter(({ type }) => type === 'answer' || type === 'report');
  const count = answers.reduce((sum, { times }) => sum + times, 0);
  const settled = decisionsOf(context, board).slice(0, count).map(decisionLine);
  const ofRun = (ofLane.get(null) ?? []).filter(({ type }) => OF_RUN.test(type));
  const runLines = ofRun.map(({ type, times, lastSeq: event }) => {
    const section = URGENT.has(type) ? 'decide' : 'decisions';
    return lineOf(section, `run: ${type}`, counted(type, times), { source: { event } });
  });
  return [...lines, ...runLines, ...settled];
}

function withHistory(text: string, changes: readonly Change[]): string {
  const told = changes.filter(({ type }) => !STEPS.has(type));
  const words = told.map(({ type, times }) => counted(type, times)).join(', ');
  return words === '' ? text : `${text} (${words})`;
}

function counted(type: string, times: number): string {
  const words = type.replace('.', ' ');
  return times === 1 ? words : `${words} ×${times}`;
}
