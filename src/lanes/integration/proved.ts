/** Is the tip of the integration what was validated, for every lane that is in it? */
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { type ProofCommand, proofCommands } from './commands.ts';

/** What was integrated, landed or not; a lane of it may be at work again. */
export function comeIn({ store }: LaneContext, run: Run): Integration[] {
  return integrationStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated' || state === 'landed');
}

/** The validations of all that came in, as the lanes have them now. */
export function commandsInside(context: LaneContext, run: Run): ProofCommand[] {
  const inside = new Set(comeIn(context, run).map(({ laneId }) => laneId));
  const lanes = laneStore(context.store).ofRun(run.id);
  return proofCommands(lanes.filter(({ id }) => inside.has(id)));
}

export function isProved(context: LaneContext, run: Run, tip: string): boolean {
  const verdicts = laneValidationStore(context.store)
    .ofRun(run.id)
    .filter((it) => it.sha === tip && it.subject === 'integration');
  return commandsInside(context, run).every(
    ({ cmdHash }) => verdicts.findLast((it) => it.cmdHash === cmdHash)?.result === 'pass',
  );
}

/** Integrated and not landed. */
export function waitingToLand({ store }: LaneContext, run: Run): Integration[] {
  return integrationStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated');
}
