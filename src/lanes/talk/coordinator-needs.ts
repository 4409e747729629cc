/** Needs of a project's open runs that were not shown in this session yet. */

import { printableLine } from '../../base/text/printable.ts';
import { attemptStore } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneStore, type Run, runStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { sessionStore } from '../../store/sessions.ts';
import { flagWords, stoppingFlags } from '../spec/flags.ts';
import { is, type Standing, waysOn } from '../spec/lane-states.ts';
import { endWords, lastOfBase, provesNothing } from '../spec/outcomes.ts';

const MOST_NAMED = 3;

/**
 * The needs in one line, or `undefined`; each is shown once in a session.
 *
 * @param session empty if the agent does not name its session: then items are repeated each time.
 */
export function takeNeeds(
  store: Store,
  projectId: number,
  { session, now }: { readonly session: string; readonly now: Date },
): string | undefined {
  const runs = runStore(store).open(projectId);
  const optionOf = (run: Run) => (runs.length > 1 ? ` --run ${run.name}` : '');
  const needs = runs.flatMap((run) => needsOf(store, run, optionOf(run)));
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

/** The needs, each with a subject that stays equal until something new happens. */
export function needsOf(store: Store, run: Run, option: string) {
  const need = (subject: string, fact: string, lane: Standing, way = 0) => ({
    subject,
    text: `${fact} (\`${waysOn(lane, option)[way]}\`)`,
  });
  const lanes = laneStore(store).ofRun(run.id);
  const keys = new Map(lanes.map(({ id, key }) => [id, key]));
  const questions = laneReportStore(store).openQuestions(run.id);
  const asks = questions.map((question) => {
    const { id, laneId, body } = question;
    const key = keys.get(laneId) ?? '';
    const open = questions.filter((it) => it.laneId === laneId);
    const asking = { key, state: 'asks', questions: open.map(({ seq }) => seq) } as const;
    const fact = `the worker of lane ${key} asks "${printableLine(body, 160)}"`;
    return need(`ask ${id}`, fact, asking, open.indexOf(question));
  });
  const baseless = lanes.flatMap((lane) => {
    const isWaiting = lane.attemptId === null && lane.state !== 'cancelled';
    const base = isWaiting ? lastOfBase(store, run, lane) : undefined;
    if (base === undefined || !provesNothing(base)) return [];
    const fact = `\`${printableLine(base.cmd, 60)}\` of lane ${lane.key} proves nothing on the base`;
    return need(`base ${base.id}`, fact, { ...lane, state: 'planned', isBaseless: true });
  });
  const failed = lanes.filter(({ state }) => is('told', state));
  const failures = failed.map((lane) => {
    const { key, state, integrationId } = lane;
    const last = attemptStore(store).lastOf(lane);
    const isWork = state === 'failed' || state === 'untested';
    const end = isWork && last ? ` (${printableLine(endWords(last), 100)})` : '';
    const subject = `${state} ${integrationId ?? last?.id ?? lane.id}`;
    // Its log gives the reason.
    return need(subject, `lane ${key}: ${state}${end}`, { key, state: 'failed' });
  });
  const looks = lanes.flatMap((lane) => {
    const why = stoppingFlags(store, lane).map(flagWords).join(', ');
    if (why === '') return [];
    const fact = `lane ${lane.key} is verified, and to be looked at: ${printableLine(why, 200)}`;
    return need(`look ${lane.id} ${lane.headSha}`, fact, { ...lane, isStopped: true });
  });
  return [...asks, ...baseless, ...failures, ...looks];
}
