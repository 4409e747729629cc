/** What the validation of a lane comes to on the commit that the lane starts from. */
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { Run } from '../../store/runs.ts';

/** `undefined` before it has run there. */
export const lastOfBase = (
  store: Store,
  run: Pick<Run, 'baseSha'>,
  { baseSha, cmdHash }: Pick<Lane, 'baseSha' | 'cmdHash'>,
): Validation | undefined =>
  laneValidationStore(store).lastOfBase({ sha: baseSha ?? run.baseSha, cmdHash });

/** Failures without names could be anybody's later. */
export const provesNothing = ({ result, newFailures }: Validation): boolean =>
  result !== 'pass' && (result !== 'fail' || (newFailures ?? []).length === 0);
