/** Selects the lanes to integrate now, and their order. */
import { UsageError } from '../../errors.ts';
import { integrationStore } from '../../store/integrations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { findLane } from '../find.ts';

/**
 * Verified lanes, and those in conflict whose conflict may be gone because the tip has moved. A lane
 * comes after those it started from. Named lanes bring along the lanes they contain.
 *
 * @param keys `undefined`: every lane.
 * @throws {UsageError} if a named lane is not verified.
 */
export function lanesToIntegrate(
  { store }: LaneContext,
  run: Run,
  tip: string,
  keys: readonly string[] | undefined,
): LaneView[] {
  const lanes = inOrder(store, run);
  if (keys !== undefined) {
    const named = withNeeds(
      store,
      keys.map((key) => namedLane(store, run, key)),
      lanes,
    );
    return lanes.filter((lane) => named.has(lane.id) && isVerified(lane));
  }
  const integrations = integrationStore(store);
  const movedOn = ({ id, headSha }: LaneView): boolean =>
    headSha !== null && integrations.ofCommit(id, headSha)?.ontoSha !== tip;
  return lanes.filter(
    (lane) => lane.state === 'verified' || (lane.state === 'conflict' && movedOn(lane)),
  );
}

/** Verified alone; whether it fits with others is a separate question. */
function isVerified({ state }: LaneView): boolean {
  return state === 'verified' || state === 'conflict' || state === 'culprit';
}

function namedLane(store: LaneContext['store'], run: Run, key: string): LaneView {
  const lane = findLane(store, run, key);
  if (isVerified(lane) || lane.state === 'integrated' || lane.state === 'landed') return lane;
  throw new UsageError(`lane \`${key}\` is not verified: it is ${lane.state}`, {
    hint: `see what it needs: \`lanehold orchestrate status --run ${run.name}\``,
  });
}

function withNeeds(
  store: LaneContext['store'],
  named: readonly LaneView[],
  lanes: readonly LaneView[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const deps = laneStore(store);
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const { needsLaneId } of deps.depsOf(id)) visit(needsLaneId);
  };
  for (const { id } of named) visit(id);
  return new Set(lanes.flatMap(({ id }) => (found.has(id) ? [id] : [])));
}

/** Dependencies first, else in the order of creation. */
function inOrder(store: LaneContext['store'], run: Run): LaneView[] {
  const lanes = laneStore(store).ofRun(run.id);
  const deps = laneStore(store).depsOfRun(run.id);
  const ordered = new Set<LaneView>();
  const visit = (lane: LaneView, trail: readonly string[]): void => {
    if (ordered.has(lane) || trail.includes(lane.id)) return;
    for (const { needsLaneId } of deps.filter((it) => it.laneId === lane.id)) {
      const needed = lanes.find(({ id }) => id === needsLaneId);
      if (needed) visit(needed, [...trail, lane.id]);
    }
    ordered.add(lane);
  };
  for (const lane of lanes) visit(lane, []);
  return [...ordered];
}
