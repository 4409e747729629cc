/** The merge queue: its lanes, their rows, and an event for each move. */
import { attemptStore } from '../../store/attempts.ts';
import { newId } from '../../store/ids.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import type { Store } from '../../store/open.ts';
import type { Way } from '../fit/resolve.ts';
import type { LaneContext } from '../spec/context.ts';
import { assertVerified, move, noteMove } from '../spec/edit.ts';
import { is } from '../spec/lane-states.ts';
import { findLane } from '../spec/names.ts';
import { type RefusedCommit, refusalClause, refusedCommit } from '../spec/outcomes.ts';
import { withNeeds } from '../stand/dependencies.ts';
import { recordReport } from '../talk/say.ts';

/**
 * Verified lanes, and those whose conflict may be gone because the tip has moved. A lane comes after those it started
 * from. Named lanes include the lanes they contain, but not unnamed ones that a person has taken back.
 *
 * @param keys by default every lane.
 * @throws {UsageError} if a named lane is not verified.
 */
export function lanesToIntegrate(store: Store, run: Run, tip: string, keys?: readonly string[]) {
  if (keys !== undefined) {
    const named = keys.map((key) => findLane(store, run, key));
    for (const lane of named) if (!is('inside', lane.state)) assertVerified(run, lane);
    return withNeeds(store, run, named).filter(
      ({ key, state }) => is('passed', state) && (state !== 'taken-back' || keys.includes(key)),
    );
  }
  const rows = integrationStore(store);
  return withNeeds(store, run, laneStore(store).ofRun(run.id)).filter(({ id, state, headSha }) => {
    const isTipNew = () => rows.ofCommit(id, headSha ?? '')?.ontoSha !== tip;
    return state === 'verified' || (state === 'conflict' && isTipNew());
  });
}

/** A part of a batch: a lane's commit, or new commits on the branch on which the run lands. */
export interface Member {
  readonly name: string;
  readonly sha: string;
  readonly message: string;
  /** Ways to resolve its conflict whose result failed. */
  readonly refused: Set<Way>;
  /** Only the change since this commit is taken, as a new commit, without the history before. */
  readonly since?: string;
  readonly queued?: { readonly lane: LaneView; readonly row: Integration };
}

export function enqueue(context: LaneContext, run: Run, lanes: readonly LaneView[]): Member[] {
  const { store, now } = context;
  const rows = integrationStore(store);
  return store.write(() =>
    lanes.flatMap((lane): Member[] => {
      const { key, headSha: sha, spec } = lane;
      if (sha === null) return [];
      const known = rows.ofCommit(lane.id, sha);
      const id = known?.id ?? newId(now());
      if (known !== undefined) rows.requeue(id, now());
      else rows.add({ id, runId: run.id, laneId: lane.id, laneSha: sha }, now());
      const row = rows.byId(id);
      if (row?.state !== 'queued') return [];
      noteMove(context, row, 'queued', { sha });
      const message = `Merge lane ${key} of ${run.name}\n\n${spec.desc}${trailersOf(store, lane.id)}`;
      return [{ name: key, sha, message, refused: new Set(), queued: { lane, row } }];
    }),
  );
}

export const LANE_TRAILER = 'Lanehold-Lane';

/** Says in the merge of a lane that other machines work on which claim it is: git decides that it is merged once. */
export function trailersOf(store: Store, laneId: string): string {
  const known = teamLaneStore(store).of(laneId);
  return known === undefined
    ? ''
    : `\n\n${LANE_TRAILER}: ${laneId}\nLanehold-Epoch: ${known.epoch}`;
}

export function withdraw(context: LaneContext, row: Integration, why: string): void {
  move(context, row, 'withdrawn', { detail: why }, { why });
}

const OPEN: ReadonlySet<string> = new Set(['queued', 'merged', 'validating']);

/** Withdraws rows that are still open after their integration has ended. */
export function withdrawOpen(context: LaneContext, run: Run, why: string): void {
  for (const row of integrationStore(context.store).ofRun(run.id)) {
    if (OPEN.has(row.state)) withdraw(context, row, why);
  }
}

/**
 * Settles the rows of a killed integration; the caller holds its lock. A row whose result is in the tip is integrated;
 * all others, also those that were removed from the tip, are withdrawn and can be queued again.
 *
 * @param contains whether the tip contains a commit.
 */
export async function recoverQueue(
  context: LaneContext,
  run: Run,
  contains: (sha: string) => Promise<boolean>,
): Promise<void> {
  for (const row of integrationStore(context.store).ofRun(run.id)) {
    if (!OPEN.has(row.state) && row.state !== 'integrated') continue;
    const isInside = row.resultSha !== null && (await contains(row.resultSha));
    const validationId = isInside ? passOn(context, row) : undefined;
    if (row.state === 'integrated') {
      if (!isInside) withdraw(context, row, 'the tip was moved back');
    } else if (validationId === undefined) withdraw(context, row, 'its integrator is gone');
    else move(context, row, 'integrated', { validationId }, { sha: row.resultSha, repaired: true });
  }
}

/** The validation that allowed the row's result to become the tip. */
function passOn({ store }: LaneContext, { runId, laneId, resultSha }: Integration) {
  const lane = laneStore(store).byId(laneId);
  const passes = laneValidationStore(store)
    .ofRun(runId)
    .filter((it) => it.sha === resultSha && it.result === 'pass' && it.subject === 'integration');
  return (passes.find((it) => it.cmdHash === lane?.cmdHash) ?? passes.at(-1))?.id;
}

const ASKER = 'lanehold';

/**
 * Asks the coordinator if a repaired lane is refused for the same reason: the next worker would repeat the last one's
 * work.
 *
 * @returns whether a question is open.
 */
export function askIfAgain(context: LaneContext, run: Run, lane: LaneView): boolean {
  const { store } = context;
  const refusals = integrationStore(store)
    .ofRun(run.id)
    .flatMap((row) => (row.laneId === lane.id ? (refusedCommit(row) ?? []) : []));
  const last = refusals.at(-1);
  const before = refusals.findLast(({ row }) => row.laneSha !== last?.row.laneSha);
  if (last === undefined || before === undefined || reason(last) !== reason(before)) return false;
  const asked = laneReportStore(store).ofLane(lane.id);
  if (asked.some((it) => it.by === ASKER && it.kind === 'ask' && it.answeredAt === null)) {
    return true;
  }
  const attempt = attemptStore(store).lastOf(lane) ?? null;
  recordReport(context, { lane, attempt }, { kind: 'ask', text: question(last), by: ASKER });
  return true;
}

function reason({ row, detail: { paths, command, failures } }: RefusedCommit): string {
  const parts = row.state === 'conflict' ? paths : [command, ...failures];
  return JSON.stringify([row.state, ...parts.toSorted()]);
}

function question(refused: RefusedCommit): string {
  const wanted =
    refused.row.state === 'conflict'
      ? 'What should be there, or which lane gives way?'
      : 'What is right, this lane or the others?';
  return `It ${refusalClause(refused)}, again after it was mended. ${wanted}`;
}
