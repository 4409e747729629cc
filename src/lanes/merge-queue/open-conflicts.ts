/** Which lanes conflict with each other now, by what is recorded. */

import { checkpointStore } from '../../store/attempts.ts';
import { type Composition, compositionStore } from '../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import type { LaneContext } from '../model/context.ts';

export interface OpenConflict {
  /** Keys; the second is `undefined` for the tip of the integration. */
  readonly lanes: readonly [lane: string, other: string | undefined];
  /** `text`: git cannot merge them. `validation`: merged they fail, each alone passes. */
  readonly kind: 'text' | 'validation';
  readonly paths: readonly string[];
  readonly command: string | undefined;
  readonly failures: readonly string[];
  readonly log: string | undefined;
  readonly shas: readonly [string, string];
  /** `null` where git cannot merge them. */
  readonly validationId: string | null;
  /** When the conflict was found. */
  readonly at: Date;
}

/** A conflict is open until newer commits of the two were merged without it. */
export function openConflicts(context: Pick<LaneContext, 'store'>, runId: string): OpenConflict[] {
  const heads = new Map(headsOf(context, runId).map((it) => [it.lane.id, it]));
  const validations = laneValidationStore(context.store);
  const pairs = Map.groupBy(
    compositionStore(context.store).ofRun(runId),
    ({ aLaneId, bLaneId }) => `${aLaneId} ${bLaneId}`,
  );
  return [...pairs.values()].flatMap((found) => {
    const [first] = found;
    const a = heads.get(first?.aLaneId ?? '');
    const b = heads.get(first?.bLaneId ?? '');
    if (a === undefined || (b === undefined && first?.bLaneId !== null)) return [];
    const conflict = conflictOf(inOrder(found, a, b), (id) => validations.byId(id));
    if (conflict === undefined) return [];
    return [{ lanes: [a.lane.key, b?.lane.key] as const, ...conflict }];
  });
}

/** The record of the present commits counts as the last one, even if others were added after it. */
function inOrder(
  found: readonly Composition[],
  a: LaneHead,
  b: LaneHead | undefined,
): readonly Composition[] {
  const present = found.findLast(
    ({ aSha, bSha }) => aSha === a.sha && (b === undefined || bSha === b.sha),
  );
  return present === undefined ? found : [...found.filter((it) => it !== present), present];
}

function conflictOf(
  found: readonly Composition[],
  validation: (id: string) => Validation | undefined,
): Omit<OpenConflict, 'lanes'> | undefined {
  const last = found.at(-1);
  if (last === undefined) return undefined;
  if (last.conflicts.length > 0) {
    const nothing = { command: undefined, failures: [], log: undefined, validationId: null };
    return { kind: 'text', paths: last.conflicts, ...nothing, ...foundAt(last) };
  }
  if (!last.related) return undefined;
  // While the last one is not validated, the previous verdict still stands.
  const judged = found.findLast(({ validationId }) => validationId !== null);
  const verdict = validation(judged?.validationId ?? '');
  if (judged === undefined || verdict === undefined) return undefined;
  const { cmd: command, newFailures, logPath: log, id: validationId, result, tree } = verdict;
  // A verdict on another tree is that of a side that fails alone.
  if ((result !== 'fail' && result !== 'timeout') || tree !== judged.tree) return undefined;
  const facts = { command, failures: newFailures ?? [], log, validationId };
  return { kind: 'validation', paths: [], ...facts, ...foundAt(judged) };
}

function foundAt({ aSha, bSha, at }: Composition): Pick<OpenConflict, 'shas' | 'at'> {
  return { shas: [aSha, bSha], at };
}

const AT_WORK = new Set<LaneState>(['starting', 'running', 'validating', 'parked', 'asks']);
/** Not integrated yet. What is integrated is in the tip. */
const APART = new Set<LaneState>([
  ...AT_WORK,
  ...(['verified', 'stale', 'integrating', 'conflict', 'culprit'] as const),
]);

/** Of a lane that is not integrated. */
export interface LaneHead {
  readonly lane: LaneView;
  readonly sha: string;
}

/** Of the lanes that may still conflict. */
export function headsOf(context: Pick<LaneContext, 'store'>, runId: string): LaneHead[] {
  return laneStore(context.store)
    .ofRun(runId)
    .filter(({ state }) => APART.has(state))
    .flatMap((lane) => {
      const sha = headOf(context, lane);
      return sha === undefined ? [] : [{ lane, sha }];
    });
}

/** The newest commit of a lane: its newest checkpoint while it is at work, else its head. */
export function headOf(
  { store }: Pick<LaneContext, 'store'>,
  { id, state, attemptId, headSha }: LaneView,
): string | undefined {
  const last = AT_WORK.has(state) ? checkpointStore(store).last(id) : undefined;
  return (last?.attemptId === attemptId ? last?.sha : undefined) ?? headSha ?? undefined;
}
