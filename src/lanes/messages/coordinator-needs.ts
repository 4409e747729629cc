/** What in a project's open runs needs a decision and has not been shown in this session yet. */

import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { type LaneState, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { type Run, runStore } from '../../store/runs.ts';
import { sessionStore } from '../../store/sessions.ts';
import { printableLine } from '../../text/printable.ts';
import { endWords } from '../model/attempt-end.ts';
import { lastOfBase, provesNothing } from '../model/base.ts';

interface Need {
  /** Stays equal until something new happens. */
  readonly subject: string;
  readonly text: string;
}

const MOST_NAMED = 3;

/**
 * One line, or `undefined`; each item is shown once in a session.
 *
 * @param session empty if the agent does not name its session: then items are repeated each time.
 */
export function takeNeeds(
  store: Store,
  projectId: number,
  { session, now }: { readonly session: string; readonly now: Date },
): string | undefined {
  const runs = runStore(store).open(projectId);
  const needs = runs.flatMap((run) =>
    needsOf(store, run, runs.length > 1 ? ` --run ${run.name}` : ''),
  );
  if (needs.length === 0) return undefined;
  const sessions = sessionStore(store);
  const fresh = store.write(() =>
    needs.filter(({ subject }) => session === '' || sessions.firstShowing(session, subject, now)),
  );
  if (fresh.length === 0) return undefined;
  const more = fresh.length - MOST_NAMED;
  const rest = more > 0 ? `; and ${more} more: \`lanehold orchestrate status\`` : '';
  const named = fresh.slice(0, MOST_NAMED).map(({ text }) => text);
  return `lanehold: ${named.join('; ')}${rest}`;
}

function needsOf(store: Store, run: Run, option: string): Need[] {
  const lanes = laneStore(store).ofRun(run.id);
  const keys = new Map(lanes.map(({ id, key }) => [id, key]));
  const questions = laneReportStore(store).openQuestions(run.id);
  const failed = lanes.filter(({ state }) => FAILED.has(state));
  const baseless = lanes.flatMap((lane) => {
    const base = lane.attemptId === null ? lastOfBase(store, run, lane) : undefined;
    return base !== undefined && provesNothing(base) ? [{ key: lane.key, base }] : [];
  });
  return [
    ...questions.map(({ id, laneId, body }) => {
      const key = keys.get(laneId) ?? '';
      return {
        subject: `ask ${id}`,
        text: `the worker of lane ${key} asks "${printableLine(body, 160)}" (\`lanehold orchestrate answer ${key} '…'${option}\`)`,
      };
    }),
    ...baseless.map(({ key, base: { id, cmd } }) => ({
      subject: `base ${id}`,
      text: `\`${printableLine(cmd, 60)}\` of lane ${key} proves nothing on the base (\`lanehold orchestrate logs ${key}${option}\`)`,
    })),
    ...failed.map((lane) => {
      const { key, state } = lane;
      const last = attemptStore(store).lastOf(lane);
      const reason = state === 'failed' ? reasonOf(last) : '';
      return {
        subject: `${state} ${lane.integrationId ?? last?.id ?? lane.id}`,
        text: `lane ${key}: ${state}${reason} (\`lanehold orchestrate logs ${key}${option}\`)`,
      };
    }),
  ];
}

const FAILED: ReadonlySet<LaneState> = new Set(['failed', 'conflict', 'culprit']);

function reasonOf(last: Attempt | undefined): string {
  if (!last?.endReason) return '';
  return ` (${printableLine(endWords(last), 100)})`;
}
