/** Gathers what a worker's prompt contains, and the session that it may resume. */
import { type Git, GitError } from '../../base/git/git.ts';
import { containsAll } from '../../base/git/merge.ts';
import { DIFF, mergeTrees } from '../../base/git/plumbing.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneSpec, type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { pullRequestStore } from '../../store/pull-requests.ts';
import { conflictText, type OpenConflict, openConflicts } from '../fit/open-conflicts.ts';
import { logText } from '../judge/log.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { endWords, lastRefusal, refusalClause } from '../spec/outcomes.ts';
import { isSameTask } from '../spec/tries.ts';
import { workerPrompt } from './prompt.ts';
import type { Supervision } from './supervision.ts';

/** The same agent's last session, unless its context is full or it had no turn. */
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
  const dependencies = lanes.depsOf(lane.id).flatMap(({ needsLaneId, usedSha: sha }) => {
    const needed = lanes.byId(needsLaneId);
    if (needed === undefined || sha === null) return [];
    const said = reports.ofLane(needsLaneId).findLast(({ kind }) => kind === 'claims_done');
    return [{ key: needed.key, title: titleOf(needed.spec), sha, summary: said?.body ?? '' }];
  });
  // Their change could not be merged automatically, so the tree has their old work.
  const moved = lanes.movedDeps(lane.id).map(({ needsLaneId, from, to }) => {
    const needed = lanes.byId(needsLaneId)?.key ?? needsLaneId;
    return `${needed} has changed since you built on it. Bring your work to where the changes of \`git diff ${from} ${to}\` merge into it`;
  });
  const conflicts = openConflicts(it.context, run.id);
  const view = lanes.byId(lane.id);
  const said = reports.ofLane(lane.id);
  return workerPrompt({
    goal: run.goal,
    lane: { key, desc: spec.desc, notes: spec.notes },
    touches: spec.touches,
    reads: spec.reads,
    siblings: lanes
      .ofRun(run.id)
      .filter((it) => it.id !== lane.id && !isSameTask(it, lane))
      .map(({ key, spec, state }) => ({ key, state, title: titleOf(spec), touches: spec.touches })),
    validation: { command: lane.validateCmd ?? '', cwd: lane.validateCwd },
    worktree: attempt.worktree,
    base: attempt.startSha,
    questions: said.flatMap(({ kind, body: question, answer, answeredBy }) =>
      kind === 'ask' && answer !== null ? { question, answer, by: answeredBy ?? '' } : [],
    ),
    messages: said.filter(({ toWorker }) => toWorker),
    dependencies,
    notices: [...moved, ...conflicts.flatMap((conflict) => noticeFor(key, conflict))],
    ports: it.resources.ports().length,
    previous: failureOf(store, attempt),
    feedback: pullRequestStore(store).ofLane(lane.id)?.feedback ?? [],
    refused: view && (await refusedWork(it.context, run, view)),
    kind: attempt.kind === 'fix' ? 'fix' : 'work',
  });
}

export const titleOf = ({ desc }: LaneSpec): string => desc.split('\n', 1)[0] ?? '';

/** The notice of a failed merge of two lanes, one of which has to change. */
function noticeFor(key: string, conflict: OpenConflict): string[] {
  const [a, b = 'what is integrated already'] = conflict.lanes;
  if (a !== key && b !== key) return [];
  const why = conflictText(conflict, (names) => names.join(', '));
  return [`Your work and ${a === key ? b : a} do not go together: ${why}`];
}

function failureOf(store: Store, attempt: Attempt): { reason: string; log: string } | undefined {
  // A later validation says more than the last worker's result.
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

const MOST_RIVALS = 4;

/**
 * Why the lane's present commit was not integrated, with the facts for its next worker. Secrets are removed.
 *
 * @returns `undefined` unless the lane was in conflict or broke the others.
 */
export async function refusedWork(context: LaneContext, run: Run, lane: LaneView) {
  const { store } = context;
  const refused = lastRefusal(context, run, lane);
  const onto = refused?.row.ontoSha;
  if (refused === undefined || onto == null) return undefined;
  const { row, detail } = refused;
  // It was repaired since, and the present request is about something else.
  if (row.laneSha !== lane.headSha && lane.validationId !== null) return undefined;
  const git = gitOfRun(context, run);
  const { paths, with: keys } = detail;
  const found = keys
    .slice(0, MOST_RIVALS)
    .flatMap((key) => laneStore(store).byKey(run.id, key) ?? []);
  const rivals = await Promise.all(
    found.map(async ({ key, spec, baseSha, headSha }) => {
      const from = baseSha ?? run.baseSha;
      return { key, goal: redact(spec.desc), diff: await diff(git, from, headSha ?? from, paths) };
    }),
  );
  const others = [onto, ...found.flatMap(({ headSha }) => headSha ?? [])];
  const isMerged = lane.headSha !== null && (await containsAll(git, lane.headSha, others));
  const begun = isMerged ? '. The merge is in your worktree: replace markers that are left' : '';
  const what = `It ${refusalClause(refused)}${begun}`;
  if (row.state === 'conflict') {
    // This shows how the tip would change in the conflicting files, with git's markers.
    const { tree, conflicts } = await mergeTrees(git, onto, row.laneSha);
    const shown = conflicts.length === 0 ? '' : await diff(git, onto, tree, conflicts);
    return { what, shown, rivals };
  }
  const validation = laneValidationStore(store).byId(row.validationId ?? '');
  return { what, shown: redact(logText(validation?.logPath ?? '')), rivals };
}

/** The difference; empty if git fails, since the worker starts all the same. */
async function diff(git: Git, from: string, to: string, paths: readonly string[]): Promise<string> {
  try {
    return redact(
      await git.text(['--literal-pathspecs', ...DIFF, '--no-renames', from, to, '--', ...paths]),
    );
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return '';
  }
}
