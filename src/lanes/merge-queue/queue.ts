/** Rows of the merge queue, and the events of each move. */

import { actorOf } from '../../agents/actor.ts';
import { newId } from '../../store/ids.ts';
import {
  type Integration,
  type IntegrationNote,
  type IntegrationState,
  integrationStore,
} from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../model/context.ts';

/** A lane's commit and its row. */
export interface Queued {
  readonly kind: 'lane';
  readonly lane: LaneView;
  readonly sha: string;
  readonly row: Integration;
}

export const OPEN: ReadonlySet<IntegrationState> = new Set(['queued', 'merged', 'validating']);

export function enqueue(context: LaneContext, run: Run, lanes: readonly LaneView[]): Queued[] {
  const { store, now } = context;
  const rows = integrationStore(store);
  return store.write(() =>
    lanes.flatMap((lane) => {
      if (lane.headSha === null) return [];
      const known = rows.ofCommit(lane.id, lane.headSha);
      const id = known?.id ?? newId(now());
      if (known === undefined) {
        rows.add({ id, runId: run.id, laneId: lane.id, laneSha: lane.headSha }, now());
      } else {
        rows.requeue(id, now());
      }
      const row = rows.byId(id);
      if (row?.state !== 'queued') return [];
      tell(context, row, 'queued', { sha: lane.headSha });
      return [{ kind: 'lane', lane, sha: lane.headSha, row }];
    }),
  );
}

/** All rows that were integrated, landed or not; a lane of one may be at work again. */
export function integratedRows({ store }: LaneContext, run: Run): Integration[] {
  return integrationStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated' || state === 'landed');
}

/** Notes a move and its event; nothing if another process has queued the row again. */
export function move(
  context: LaneContext,
  row: Integration,
  state: IntegrationState,
  note: Omit<IntegrationNote, 'state'>,
  data: Readonly<Record<string, unknown>> = {},
): void {
  const { store } = context;
  store.write(() => {
    if (integrationStore(store).note(row, { ...note, state })) tell(context, row, state, data);
  });
}

/** Call it in a transaction. */
export function tell(
  context: LaneContext,
  row: Integration,
  state: IntegrationState,
  data: Readonly<Record<string, unknown>>,
): void {
  const lane = { id: row.laneId, runId: row.runId };
  addLaneEvent(context, lane, { type: `integration.${state}`, data, by: actorOf(context).name });
}

/**
 * Reconciles what an ended integration left behind; the caller holds its lock. A row whose result is
 * in the tip is integrated; all others, and those that were taken out of the tip, are withdrawn and
 * can be queued again.
 *
 * @param contains whether the tip contains a commit.
 */
export async function reconcile(
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

export function withdraw(context: LaneContext, row: Integration, why: string): void {
  move(context, row, 'withdrawn', { detail: why }, { why });
}

/** The validation that allowed the row's result to become the tip. */
function passOn({ store }: LaneContext, { runId, laneId, resultSha }: Integration) {
  const lane = laneStore(store).byId(laneId);
  const passes = laneValidationStore(store)
    .ofRun(runId)
    .filter((it) => it.sha === resultSha && it.result === 'pass' && it.subject === 'integration');
  return (passes.find((it) => it.cmdHash === lane?.cmdHash) ?? passes.at(-1))?.id;
}
