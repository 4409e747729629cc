/** Is the tip of the integration what was validated, for every lane that is in it? */
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneWorld } from '../world.ts';
import { type ProofCommand, proofCommands } from './commands.ts';

/** The validations of all that is integrated. */
export function commandsInside({ store }: LaneWorld, run: Run): ProofCommand[] {
  const inside = laneStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated' || state === 'landed');
  return proofCommands(inside);
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
