/** Gathers what a worker's prompt contains, and the session that it may resume. */
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneSpec, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { conflictText, type OpenConflict, openConflicts } from '../fit/open-conflicts.ts';
import { logText } from '../judge/log.ts';
import { endWords } from '../spec/outcomes.ts';
import { workerPrompt } from './prompt.ts';
import { refusedWork } from './refused-work.ts';
import type { Supervision } from './supervision.ts';

/** The same agent's last session, unless its context is full or it has had no turn. */
export function sessionToResume(store: Store, attempt: Attempt): string | undefined {
  const last = earlierAttempts(store, attempt).findLast(({ kind }) => kind !== 'validate');
  if (last === undefined || last.agent !== attempt.agent) return undefined;
  if (last.endReason === 'context_overflow' || (last.usage?.turns ?? 0) === 0) return undefined;
  return last.sessionId ?? undefined;
}

export async function promptFor(it: Supervision): Promise<string> {
  const { store } = it.context;
  const [run, lane, attempt] = [it.run(), it.lane(), it.attempt()];
  const [lanes, reports] = [laneStore(store), laneReportStore(store)];
  const { key, spec } = lane;
  const deps = lanes.depsOf(lane.id);
  const dependencies = deps.flatMap(({ needsLaneId, usedSha: sha }) => {
    const needed = lanes.byId(needsLaneId);
    if (needed === undefined || sha === null) return [];
    const said = reports.ofLane(needsLaneId).findLast(({ kind }) => kind === 'claims_done');
    return [{ key: needed.key, title: titleOf(needed.spec), sha, summary: said?.body ?? '' }];
  });
  // Their change could not be merged automatically: the tree has their old work.
  const moved = lanes.movedDeps(lane.id).map(({ needsLaneId, to }) => {
    const needed = lanes.byId(needsLaneId)?.key ?? needsLaneId;
    const from = deps.find((dep) => dep.needsLaneId === needsLaneId)?.usedSha ?? '';
    return `${needed} has changed since you built on it. Bring your work to where the changes of \`git diff ${from} ${to}\` merge into it`;
  });
  const conflicts = openConflicts(it.context, run.id);
  const view = lanes.byId(lane.id);
  return workerPrompt({
    goal: run.goal,
    lane: { key, desc: spec.desc, notes: spec.notes },
    touches: spec.touches,
    reads: spec.reads,
    siblings: lanes
      .ofRun(run.id)
      .filter(({ id }) => id !== lane.id)
      .map(({ key, spec, state }) => ({ key, state, title: titleOf(spec), touches: spec.touches })),
    validation: { command: lane.validateCmd ?? '', cwd: lane.validateCwd },
    worktree: attempt.worktree,
    base: attempt.startSha,
    questions: reports
      .ofLane(lane.id)
      .flatMap(({ kind, body: question, answer, answeredBy }) =>
        kind === 'ask' && answer !== null ? { question, answer, by: answeredBy ?? '' } : [],
      ),
    dependencies,
    notices: [...moved, ...conflicts.flatMap((conflict) => noticeFor(key, conflict))],
    ports: it.resources.ports().length,
    previous: failureOf(store, attempt),
    refused: view && (await refusedWork(it.context, run, view)),
    kind: attempt.kind === 'fix' ? 'fix' : 'work',
  });
}

export const titleOf = ({ desc }: LaneSpec): string => desc.split('\n', 1)[0] ?? '';

/** The merge of the two lanes fails, and one of them has to change. */
function noticeFor(key: string, conflict: OpenConflict): string[] {
  const [a, b = 'what is integrated already'] = conflict.lanes;
  if (a !== key && b !== key) return [];
  const why = conflictText(conflict, (names) => names.join(', '));
  return [`Your work and ${a === key ? b : a} do not go together: ${why}`];
}

function failureOf(store: Store, attempt: Attempt): { reason: string; log: string } | undefined {
  // A later validation tells more than the last worker's result.
  const last = earlierAttempts(store, attempt).at(-1);
  if (last === undefined || last.endReason === 'verified') return undefined;
  const validation = laneValidationStore(store)
    .ofLane(attempt.laneId)
    .findLast(({ attemptId }) => attemptId === last.id);
  return { reason: endWords(last), log: logText(validation?.logPath ?? '') };
}

const earlierAttempts = (store: Store, { laneId, n }: Attempt): Attempt[] =>
  attemptStore(store)
    .ofLane(laneId)
    .filter((other) => other.n < n && other.endReason !== null);
