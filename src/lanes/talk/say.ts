/** Records messages between workers and the coordinator. It never sets a lane's state. */
import { findHookAgent } from '../../agents/registry.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { printableLine } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Attempt, attemptStore, isLive } from '../../store/attempts.ts';
import { newId } from '../../store/ids.ts';
import { laneReportStore, type Report, type ReportKind } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { addLaneEvent, type LaneContext } from '../spec/context.ts';
import type { InsideLane } from '../spec/inside-lane.ts';
import { is } from '../spec/lane-states.ts';
import { hasHeartbeat, touchNews } from '../spec/signals.ts';

/** The limit in characters: the text goes into prompts, handoffs and answers. */
const MOST_CHARS = 200_000;

/**
 * @param andMore writes in the same transaction.
 * @throws {UsageError} if the text is empty or too long.
 */
export function recordReport(
  context: LaneContext,
  inside: Pick<InsideLane, 'lane' | 'attempt'>,
  said: Said,
  andMore?: () => void,
): Report {
  return context.store.write(() => {
    const report = addReport(context, inside, said);
    andMore?.();
    return report;
  });
}

interface Said {
  readonly kind: ReportKind;
  readonly text: string;
  readonly by: string;
  readonly toWorker?: true;
  /** That it has on the machine where it was asked. */
  readonly id?: string | undefined;
}

/**
 * Call it in a transaction.
 *
 * @throws {UsageError} as `recordReport`.
 */
export function addReport(
  { store, now }: LaneContext,
  { lane, attempt }: Pick<InsideLane, 'lane' | 'attempt'>,
  { kind, text, by, toWorker, id: known }: Said,
): Report {
  const body = sayable(text);
  const at = now();
  const attemptId = attempt?.id ?? null;
  const reports = laneReportStore(store);
  // A machine that works for itself has the question already, in the copy of the run.
  const isHere = known !== undefined && reports.byId(known) !== undefined;
  const id = known === undefined || isHere ? newId(at) : known;
  reports.add({ id, laneId: lane.id, attemptId, kind, body, by }, at);
  if (toWorker) reports.sendToWorker(id);
  const event = { attemptId, type: 'report', data: { report: id, kind }, by };
  addLaneEvent({ store, now: () => at }, lane, event);
  return reports.byId(id) as Report;
}

/**
 * Answers the open question of a lane, or the one of this number where it has several. If the worker has ended with its
 * question, the lane is requested again, and the next reconcile resumes it.
 *
 * @returns `outcome`: whether the worker gets it with its next tool call, is started again, or neither.
 * @throws {UsageError | ExplainedError}
 */
export function answerQuestion(
  { store, now }: LaneContext,
  lane: LaneView,
  given: { readonly text: string; readonly question: number | undefined; readonly by: string },
) {
  const answer = sayable(given.text);
  const at = now();
  const { question, outcome, dir } = store.write(() => {
    const question = openQuestion(laneReportStore(store).ofLane(lane.id), lane, given.question);
    laneReportStore(store).answer(question.id, answer, given.by, at);
    const { last, live, listens } = workerOf(store, lane);
    // If its work is being validated, it continues afterwards.
    const resumes = !listens && last !== undefined && (live || lane.state === 'asks');
    if (resumes && !live) laneStore(store).want(lane.id);
    const { id: report, seq, attemptId } = question;
    const event = { attemptId, type: 'answer', data: { report, question: seq }, by: given.by };
    addLaneEvent({ store, now: () => at }, lane, event);
    const outcome = listens ? 'told' : resumes ? 'resumed' : 'kept';
    return { question, outcome, dir: last?.dir } as const;
  });
  // The worker finds the answer only after the transaction.
  if (outcome === 'told' && dir !== undefined) touchNews(dir);
  return { question, answer, outcome };
}

/** @throws {UsageError} */
export function assertUnfinished({ key, state }: LaneView): void {
  if (!is('over', state)) return;
  throw new UsageError(`lane ${key} is ${state}: nobody works on it any more`, {
    hint: 'add a lane for what is left: lanehold orchestrate lane add KEY',
  });
}

/**
 * Leaves a message for the lane's worker, who gets it with its next tool call, and starts none.
 *
 * @returns `start`: the command that starts a worker with it; `null` if one runs, or will start automatically.
 * @throws {UsageError} if nobody will read it.
 */
export function tellWorker(
  context: LaneContext,
  lane: LaneView,
  said: { readonly text: string; readonly by: string },
) {
  assertUnfinished(lane);
  const note = { ...said, kind: 'note', toWorker: true } as const;
  const message = recordReport(context, { lane, attempt: null }, note);
  const { last, live, listens } = workerOf(context.store, lane);
  const { state, intent } = lane;
  if (listens && last !== undefined) {
    touchNews(last.dir);
    return { message, state, outcome: 'told', start: null } as const;
  }
  const isComing = live || (intent === 'run' && is('wanted', state));
  const start = isComing ? null : last === undefined ? 'spawn' : 'retry';
  return { message, state, outcome: 'kept', start } as const;
}

/** The last attempt of a lane, and whether its worker gets news. */
function workerOf(store: Store, lane: LaneView) {
  const last = attemptStore(store).lastOf(lane);
  const live = last !== undefined && isLive(last);
  const works = live && ['starting', 'running'].includes(last.state) && last.kind !== 'validate';
  return { last, live, listens: works && hasHooks(last) };
}

/** Whether hooks run: by the agent's name, or by a tool call that a hook has seen. */
const hasHooks = ({ agent, dir }: Attempt): boolean =>
  agent === null || findHookAgent(agent) !== undefined || hasHeartbeat(dir);

function openQuestion(reports: readonly Report[], { key }: LaneView, number: number | undefined) {
  const asked = reports.filter(({ kind }) => kind === 'ask');
  const open = asked.filter(({ answeredAt }) => answeredAt === null);
  const found = number === undefined ? open[0] : asked.find(({ seq }) => seq === number);
  const isMeant = number !== undefined || open.length === 1;
  if (isMeant && found !== undefined && open.includes(found)) return found;
  const numbers = open.map(({ seq, body }) => `\`--question ${seq}\` (${printableLine(body, 60)})`);
  const hint =
    open.length === 0
      ? `no question of ${key} is open; \`lanehold orchestrate status\` shows who asks`
      : `open: ${numbers.join(', ')}`;
  if (!isMeant && open.length > 1) {
    throw new UsageError(`lane ${key} has ${open.length} open questions`, { hint });
  }
  if (found !== undefined) {
    const what = `question ${found.seq} of lane ${key} has an answer already`;
    throw new ExplainedError(what, { hint });
  }
  const what = number === undefined ? 'has no open question' : `has asked no question ${number}`;
  throw new UsageError(`lane ${key} ${what}`, { hint });
}

/** The text without secrets, ready to be stored. @throws {UsageError} if it is empty or too long. */
export function sayable(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') {
    const hint = 'give the text, or `-` and the text on stdin';
    throw new UsageError('there is nothing in it', { hint });
  }
  if (trimmed.length > MOST_CHARS) {
    const fact = `the text has ${trimmed.length} characters, ${MOST_CHARS} are read`;
    throw new UsageError(fact, { hint: IN_A_FILE });
  }
  return redact(trimmed);
}

export const IN_A_FILE = 'write it to a file of the working tree, and say where it is';
