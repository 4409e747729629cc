/** Rows of lanes on their way, and what is told of each move. */
import { actorOf } from '../../agents/actor.ts';
import { newId } from '../../store/ids.ts';
import {
  type Integration,
  type IntegrationNote,
  type IntegrationState,
  integrationStore,
} from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';

/** A lane's commit and its row. */
export interface Queued {
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
      return [{ lane, sha: lane.headSha, row }];
    }),
  );
}

/** Notes a move and tells of it; nothing of either if the row was queued again by somebody else. */
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

/** In a transaction. */
export function tell(
  context: LaneContext,
  row: Integration,
  state: IntegrationState,
  data: Readonly<Record<string, unknown>>,
): void {
  laneEventStore(context.store).add(
    {
      runId: row.runId,
      laneId: row.laneId,
      type: `integration.${state}`,
      data,
      by: actorOf(context).name,
    },
    context.now(),
  );
}

/**
 * Puts right what an integrator that is gone left behind; to be called with its lock in hand. What
 * became the tip before it could be noted is integrated, all else is free to be queued again, and so is
 * what somebody took out of the tip.
 *
 * @param contains whether the tip holds a commit.
 */
export async function repair(
  context: LaneContext,
  run: Run,
  contains: (sha: string) => Promise<boolean>,
): Promise<void> {
  for (const row of integrationStore(context.store).ofRun(run.id)) {
    if (!OPEN.has(row.state) && row.state !== 'integrated') continue;
    const isInside = row.resultSha !== null && (await contains(row.resultSha));
    if (OPEN.has(row.state)) settleLeft(context, row, isInside ? passOn(context, row) : undefined);
    else if (!isInside) withdraw(context, row, 'the tip was moved back');
  }
}

function settleLeft(
  context: LaneContext,
  row: Integration,
  validationId: string | undefined,
): void {
  if (validationId === undefined) withdraw(context, row, 'its integrator is gone');
  else move(context, row, 'integrated', { validationId }, { sha: row.resultSha, repaired: true });
}

export function withdraw(context: LaneContext, row: Integration, why: string): void {
  move(context, row, 'withdrawn', { detail: why }, { why });
}

/** The validation that let the row's result become the tip. */
function passOn({ store }: LaneContext, { runId, laneId, resultSha }: Integration) {
  const lane = laneStore(store).byId(laneId);
  const passes = laneValidationStore(store)
    .ofRun(runId)
    .filter((it) => it.sha === resultSha && it.result === 'pass' && it.subject === 'integration');
  return (passes.find((it) => it.cmdHash === lane?.cmdHash) ?? passes.at(-1))?.id;
}
