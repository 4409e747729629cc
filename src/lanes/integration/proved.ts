/** Whether the tip of the integration was validated, for every lane that is in it. */
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { type ProofCommand, proofCommands } from './commands.ts';

/** All rows that were integrated, landed or not; a lane of one may be at work again. */
export function integratedRows({ store }: LaneContext, run: Run): Integration[] {
  return integrationStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'integrated' || state === 'landed');
}

/** The present validation commands of all integrated lanes. */
export function commandsInside(context: LaneContext, run: Run): ProofCommand[] {
  const inside = new Set(integratedRows(context, run).map(({ laneId }) => laneId));
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
