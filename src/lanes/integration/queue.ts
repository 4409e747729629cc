/** Rows of lanes on their way, and what is told of each move. */
import { actorOf } from '../../actor.ts';
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
import type { LaneWorld } from '../world.ts';

/** A lane's commit and its row. */
export interface Queued {
  readonly lane: LaneView;
  readonly sha: string;
  readonly row: Integration;
}

export const OPEN: ReadonlySet<IntegrationState> = new Set(['queued', 'merged', 'validating']);

export function enqueue(world: LaneWorld, run: Run, lanes: readonly LaneView[]): Queued[] {
  const { store, now } = world;
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
      tell(world, row, 'queued', { sha: lane.headSha });
      return [{ lane, sha: lane.headSha, row }];
    }),
  );
}

/** Notes a move and tells of it; nothing of either if the row was queued again by somebody else. */
export function move(
  world: LaneWorld,
  row: Integration,
  state: IntegrationState,
  note: Omit<IntegrationNote, 'state'>,
  data: Readonly<Record<string, unknown>> = {},
): void {
  const { store } = world;
  store.write(() => {
    if (integrationStore(store).note(row, { ...note, state })) tell(world, row, state, data);
  });
}

/** In a transaction. */
export function tell(
  world: LaneWorld,
  row: Integration,
  state: IntegrationState,
  data: Readonly<Record<string, unknown>>,
): void {
  laneEventStore(world.store).add(
    {
      runId: row.runId,
      laneId: row.laneId,
      type: `integration.${state}`,
      data,
      by: actorOf(world).name,
    },
    world.now(),
  );
}

/**
 * Puts right what an integrator that is gone left behind; to be called with its lock in hand. What
 * became the tip before it could be noted is integrated, all else is free to be queued again.
 *
 * @param contains whether the tip holds a commit.
 */
export async function repair(
  world: LaneWorld,
  run: Run,
  contains: (sha: string) => Promise<boolean>,
): Promise<void> {
  const left = integrationStore(world.store)
    .ofRun(run.id)
    .filter(({ state }) => OPEN.has(state));
  for (const row of left) {
    const proved = row.resultSha !== null && (await contains(row.resultSha));
    const validationId = proved ? passOn(world, row) : undefined;
    if (validationId === undefined) {
      move(world, row, 'withdrawn', { detail: 'its integrator is gone' }, { repaired: true });
    } else {
      move(world, row, 'integrated', { validationId }, { sha: row.resultSha, repaired: true });
    }
  }
}

/** The validation that let the row's result become the tip. */
function passOn({ store }: LaneWorld, { runId, laneId, resultSha }: Integration) {
  const lane = laneStore(store).byId(laneId);
  const passes = laneValidationStore(store)
    .ofRun(runId)
    .filter((it) => it.sha === resultSha && it.result === 'pass' && it.subject === 'integration');
  return (passes.find((it) => it.cmdHash === lane?.cmdHash) ?? passes.at(-1))?.id;
}
