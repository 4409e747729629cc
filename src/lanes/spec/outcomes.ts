/** The results of attempts, of a lane's validation on its base, and of its commits in the merge queue. */

import { parsedObject } from '../../base/text/json.ts';
import { enumerated, printableLine } from '../../base/text/printable.ts';
import type { Attempt } from '../../store/attempts.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Lane, Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { LaneContext } from './context.ts';

/** The end for people: `rejected: scope: src/other.ts`; empty before it. */
export function endWords(it: Pick<Attempt, 'endReason' | 'endCause' | 'endDetail'>): string {
  // The work is not to blame, whatever has ended the attempt.
  const how = it.endCause === 'could-not-run' ? ['could not run'] : [it.endReason, it.endCause];
  return [...how, it.endDetail].filter(Boolean).join(': ');
}

/** The validation on the base; `undefined` before it has run there. */
export const lastOfBase = (store: Store, { projectId, ...run }: Run, { baseSha, cmdHash }: Lane) =>
  laneValidationStore(store).lastOfBase({ projectId, sha: baseSha ?? run.baseSha, cmdHash });

/** Failures without names cannot be distinguished from later ones. */
export const provesNothing = ({ result, newFailures }: Validation): boolean =>
  result !== 'pass' && (result !== 'fail' || (newFailures ?? []).length === 0);

export interface RefusedCommit {
  readonly row: Integration;
  readonly detail: Readonly<
    Record<'paths' | 'failures' | 'with' | 'refused', readonly string[]>
  > & {
    readonly command: string;
  };
}

/** @returns `undefined` if the commit was not refused. */
export function refusedCommit(row: Integration): RefusedCommit | undefined {
  if (row.state !== 'conflict' && row.state !== 'culprit') return undefined;
  const nothing = { paths: [], command: 'the validation', failures: [], with: [], refused: [] };
  const detail = parsedObject(row.detail);
  return detail && { row, detail: { ...nothing, ...detail } };
}

const MOST = 10;

type Detail = RefusedCommit['detail'];

export const refusalClause = ({ row, detail }: RefusedCommit): string =>
  row.state === 'conflict' ? conflictClause(detail) : culpritClause(detail);

const othersOf = (keys: readonly string[]): string =>
  keys.length === 0 ? 'what is integrated already' : keys.join(', ');

/** `conflicts with api in src/a.ts`. */
export function conflictClause(it: Pick<Detail, 'paths' | 'with' | 'refused'>): string {
  const tried = it.refused.length === 0 ? '' : `; did not pass: ${it.refused.join('; ')}`;
  return `conflicts with ${othersOf(it.with)} in ${enumerated(it.paths, MOST)}${tried}`;
}

export function culpritClause(it: Pick<Detail, 'command' | 'failures' | 'with'>): string {
  const { command, failures } = it;
  const which = failures.length === 0 ? '' : `: ${enumerated(failures, MOST)}`;
  return `fails \`${printableLine(command, 400)}\`, merged with ${othersOf(it.with)}${which}`;
}

/** The result of a commit in the merge queue, in one line. */
export function integrationNote(row: Integration): string {
  const refused = refusedCommit(row);
  return refused === undefined ? row.detail : refusalClause(refused);
}

/** @returns `undefined` unless the lane's last commit in the queue was refused. */
export function lastRefusal({ store }: LaneContext, run: Run, { id }: Pick<Lane, 'id'>) {
  const rows = integrationStore(store).ofRun(run.id);
  const row = rows.findLast((it) => it.laneId === id);
  return row && refusedCommit(row);
}
