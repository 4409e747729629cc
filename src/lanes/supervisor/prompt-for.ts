/** Gathers what a worker's prompt contains, and the session that it may resume. */

import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import { conflictText, type OpenConflict, openConflicts } from '../merge-queue/open-conflicts.ts';
import { refusalOf } from '../merge-queue/refusal.ts';
import { endWords } from '../model/attempt-end.ts';
import { logExcerpt } from '../validation/log.ts';
import { type Dependency, workerPrompt } from '../workers/prompt.ts';
import type { Supervision } from './supervision.ts';

/** The same agent's last session, unless its context is full or it has had no turn. */
export function sessionToResume(it: Supervision): string | undefined {
  const last = earlierAttempts(it).findLast(({ kind }) => kind !== 'validate');
  if (last === undefined || last.agent !== it.attempt().agent) return undefined;
  if (last.endReason === 'context_overflow' || (last.usage?.turns ?? 0) === 0) return undefined;
  return last.sessionId ?? undefined;
}

export async function promptFor(it: Supervision): Promise<string> {
  const { store } = it.context;
  const run = it.run();
  const lane = it.lane();
  const siblings = laneStore(store)
    .ofRun(run.id)
    .filter(({ id }) => id !== lane.id);
  const answered = laneReportStore(store)
    .ofLane(lane.id)
    .filter(({ kind, answer }) => kind === 'ask' && answer !== null);
  const previous = failureOf(it);
  const view = laneStore(store).byId(lane.id);
  const refusal = view && (await refusalOf(it.context, run, view));
  return workerPrompt({
    goal: run.goal,
    lane: { key: lane.key, desc: lane.spec.desc, notes: lane.spec.notes },
    touches: lane.spec.touches,
    reads: lane.spec.reads,
    siblings: siblings.map(({ key, spec, state }) => ({
      key,
      title: spec.desc.split('\n', 1)[0] ?? '',
      touches: spec.touches,
      state,
    })),
    validation: { command: lane.validateCmd ?? '', cwd: lane.validateCwd },
    worktree: it.attempt().worktree,
    base: it.attempt().startSha,
    questions: answered.map(({ body, answer, answeredBy }) => ({
      question: body,
      answer: answer ?? '',
      by: answeredBy ?? '',
    })),
    dependencies: dependenciesOf(it),
    notices: [
      ...movedNeeds(it),
      ...openConflicts(it.context, run.id).flatMap((conflict) => noticeFor(lane.key, conflict)),
    ],
    ports: it.resources.ports().length,
    ...(previous === undefined ? {} : { previous }),
    ...(refusal === undefined ? {} : { refusal }),
    kind: it.attempt().kind === 'fix' ? 'fix' : 'work',
  });
}

function dependenciesOf(it: Supervision): Dependency[] {
  const lanes = laneStore(it.context.store);
  return lanes.depsOf(it.lane().id).flatMap(({ needsLaneId, usedSha }) => {
    const needed = lanes.byId(needsLaneId);
    if (needed === undefined || usedSha === null) return [];
    const said = laneReportStore(it.context.store)
      .ofLane(needsLaneId)
      .findLast(({ kind }) => kind === 'claims_done');
    const title = needed.spec.desc.split('\n', 1)[0] ?? '';
    return [{ key: needed.key, title, sha: usedSha, summary: said?.body ?? '' }];
  });
}

/** Dependencies whose change could not be merged automatically: the tree has their old work. */
function movedNeeds(it: Supervision): string[] {
  const lanes = laneStore(it.context.store);
  const deps = lanes.depsOf(it.lane().id);
  return lanes.movedDeps(it.lane().id).map(({ needsLaneId, to }) => {
    const key = lanes.byId(needsLaneId)?.key ?? needsLaneId;
    const from = deps.find((dep) => dep.needsLaneId === needsLaneId)?.usedSha ?? '';
    return `${key} has changed since you built on it. Bring your work to where the changes of \`git diff ${from} ${to}\` merge into it`;
  });
}

/** The merge of the two lanes fails, and one of them has to change. */
function noticeFor(key: string, conflict: OpenConflict): string[] {
  const [a, b = 'what is integrated already'] = conflict.lanes;
  if (a !== key && b !== key) return [];
  const why = conflictText(conflict, (names) => names.join(', '));
  return [`Your work and ${a === key ? b : a} do not go together: ${why}`];
}

function failureOf(it: Supervision): { reason: string; log: string } | undefined {
  // Of any kind: a later validation tells more than the last worker's result.
  const last = earlierAttempts(it).at(-1);
  if (last === undefined || last.endReason === 'verified') return undefined;
  const validation = laneValidationStore(it.context.store)
    .ofLane(it.lane().id)
    .findLast(({ attemptId }) => attemptId === last.id);
  const { head, tail } = validation ? logExcerpt(validation.logPath) : { head: '', tail: '' };
  const log = tail === '' ? head : `${head}\n…\n${tail}`;
  return { reason: endWords(last), log };
}

/** Those that have ended. */
function earlierAttempts(it: Supervision): Attempt[] {
  const { n } = it.attempt();
  return attemptStore(it.context.store)
    .ofLane(it.lane().id)
    .filter((other) => other.n < n && other.endReason !== null);
}
