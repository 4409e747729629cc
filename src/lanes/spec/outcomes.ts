/** The results of attempts, and the validation of a lane on its base. */
import type { Attempt } from '../../store/attempts.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { Run } from '../../store/runs.ts';

/** The end for people: `rejected: scope: src/other.ts`; empty before it. */
export function endWords(it: Pick<Attempt, 'endReason' | 'endCause' | 'endDetail'>): string {
  // The work is not to blame, whatever has ended the attempt.
  const how = it.endCause === 'could-not-run' ? ['could not run'] : [it.endReason, it.endCause];
  return [...how, it.endDetail].filter(Boolean).join(': ');
}

/** The validation on the base; `undefined` before it has run there. */
export const lastOfBase = (store: Store, run: Pick<Run, 'baseSha'>, { baseSha, cmdHash }: Lane) =>
  laneValidationStore(store).lastOfBase({ sha: baseSha ?? run.baseSha, cmdHash });

/** Failures without names cannot be distinguished from later ones. */
export const provesNothing = ({ result, newFailures }: Validation): boolean =>
  result !== 'pass' && (result !== 'fail' || (newFailures ?? []).length === 0);
