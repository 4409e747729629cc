/** Is the tip of the integration what was validated, for every lane that is in it? */
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneWorld } from '../context.ts';
import { type ProofCommand, proofCommands } from './commands.ts';

/** What was integrated, landed or not; a lane of it may be at work again. */
export function comeIn({ store }: LaneWorld, run: Run): Integration[] {
  return integrationStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated' || state === 'landed');
}

/** The validations of all that came in, as the lanes have them now. */
export function commandsInside(world: LaneWorld, run: Run): ProofCommand[] {
  const inside = new Set(comeIn(world, run).map(({ laneId }) => laneId));
  const lanes = laneStore(world.store).ofRun(run.id);
  return proofCommands(lanes.filter(({ id }) => inside.has(id)));
}

export function isProved(world: LaneWorld, run: Run, tip: string): boolean {
  const verdicts = laneValidationStore(world.store)
    .ofRun(run.id)
    .filter((it) => it.sha === tip && it.subject === 'integration');
  return commandsInside(world, run).every(
    ({ cmdHash }) => verdicts.findLast((it) => it.cmdHash === cmdHash)?.result === 'pass',
  );
}

/** Integrated and not landed. */
export function waitingToLand({ store }: LaneWorld, run: Run): Integration[] {
  return integrationStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated');
}
