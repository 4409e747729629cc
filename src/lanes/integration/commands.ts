/** The commands that prove a commit in which several lanes are merged, and whether they have. */

import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type Lane, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import type { ValidationCommand } from '../validation/validate-commit.ts';

export interface ProofCommand extends ValidationCommand {
  /** The lane's own setup command, in place of the project's. */
  readonly setup: string | undefined;
  readonly ports: number;
}

type Validated = Pick<
  Lane,
  'validateCmd' | 'validateCwd' | 'validateTimeoutS' | 'cmdHash' | 'spec'
>;

/** Each validation once, in the order of the lanes. */
export function proofCommands(lanes: readonly Validated[]): ProofCommand[] {
  return distinct(
    lanes.flatMap(({ validateCmd: cmd, validateCwd, validateTimeoutS, cmdHash, spec }) => {
      const { setup, ports } = spec;
      const limits = { cwd: validateCwd, timeoutS: validateTimeoutS, ports };
      return cmd === null ? [] : [{ cmd, cmdHash, setup, ...limits }];
    }),
  );
}

export function distinct(commands: readonly ProofCommand[]): ProofCommand[] {
  const found = new Map<string, ProofCommand>();
  for (const it of commands) if (!found.has(it.cmdHash)) found.set(it.cmdHash, it);
  return [...found.values()];
}

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
