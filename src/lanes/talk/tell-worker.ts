/** The messages to a lane's worker: its assignment, then answers, messages of the coordinator, and conflicts. */

import { enumerated, printable, printableLine } from '../../base/text/printable.ts';
import { cut } from '../../base/text/quoting.ts';
import { laneReportStore, type Report } from '../../store/lane-events.ts';
import { sessionStore } from '../../store/sessions.ts';
import { conflictText, type OpenConflict, openConflicts } from '../fit/open-conflicts.ts';
import type { LaneContext } from '../spec/context.ts';
import type { InsideLane } from '../spec/inside-lane.ts';

const MOST_TASK_CHARS = 700;

/** The assignment in a few lines: for the start of a session, and after a compaction. */
export function assignmentText({ run, lane, worktree }: InsideLane): string {
  const { desc, touches } = lane.spec;
  const scope = touches.length === 0 ? 'any file in it' : enumerated(touches, 12);
  const judged =
    lane.validateCmd === null
      ? 'No validation is set for it.'
      : `When you end, lanehold judges it by: ${printableLine(lane.validateCmd, 200)}`;
  return [
    `lanehold: you work on lane ${lane.key} of run ${run.name}, in ${printableLine(worktree, 200)} and nowhere else.`,
    `What for (written by its author): ${printableLine(desc, MOST_TASK_CHARS)}`,
    `The run's goal: ${printableLine(run.goal, MOST_TASK_CHARS)}`,
    `You may write: ${scope}. ${judged}`,
    'Commit or not as you like; do not push, stash or switch branches. Unsure what is wanted: `lanehold orchestrate ask "QUESTION"`, then go on with something else or end your turn.',
  ].join('\n');
}

const MOST_CHARS = 7_000;

/** The undelivered news; each item is delivered once. */
export function takeNews(context: LaneContext, { run, lane, attempt }: InsideLane) {
  const { store } = context;
  const now = context.now();
  const reports = laneReportStore(store);
  const sessions = sessionStore(store);
  const listener = attempt === null ? `lane ${lane.id}` : `attempt ${attempt.id}`;
  const conflicts = openConflicts(context, run.id).filter(({ lanes }) => lanes.includes(lane.key));
  const lines = store.write(() => {
    const said = reports.undelivered(lane.id);
    for (const { id } of said) reports.markDelivered(id, now);
    const warnings = conflicts.map((it) => conflictLine(it, lane.key));
    const fresh = warnings.filter((line) => sessions.firstShowing(listener, line, now));
    return [...said.map(saidText), ...fresh];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}

function saidText({ body, answer, toWorker, by }: Report): string {
  const text = printable(toWorker ? body : (answer ?? ''));
  const shown = cut(text, MOST_CHARS);
  const rest =
    shown !== text ? '\n… (cut short; all of it: lanehold orchestrate handoff --json)' : '';
  const what = toWorker
    ? `a message for you from ${printableLine(by, 100)}, who coordinates this run`
    : `the answer to your question "${printableLine(body, 100)}"`;
  return `lanehold: ${what}: ${shown}${rest}`;
}

function conflictLine(conflict: OpenConflict, own: string): string {
  const key = conflict.lanes.find((it) => it !== own);
  const other = key === undefined ? 'what is integrated already' : `lane ${key}`;
  const why = conflictText(conflict, (names) => enumerated(names, 4));
  return `lanehold: this lane and ${other} do not go together: ${why}; ${ADVICE[conflict.kind]}`;
}

const ASK = "or ask: lanehold orchestrate ask 'QUESTION'";
const ADVICE: Readonly<Record<OpenConflict['kind'], string>> = {
  text: `keep your change there small, ${ASK}`,
  number: `take another number, ${ASK}`,
  validation: 'each passes alone; look at what you both rely on',
};
