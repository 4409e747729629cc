/** Which lanes conflict with each other now, by what is recorded. */
import { printableLine } from '../../base/text/printable.ts';
import { checkpointStore } from '../../store/attempts.ts';
import { type Composition, compositionStore } from '../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';

export interface OpenConflict {
  /** Keys; the second is `undefined` for the tip of the integration. */
  readonly lanes: readonly [lane: string, other: string | undefined];
  /** `text`: git cannot merge them. `validation`: merged they fail, each alone passes. */
  readonly kind: 'text' | 'validation';
  /** What git cannot merge. */
  readonly paths: readonly string[];
  /** What fails; of a conflict of text, where its additions are both kept. */
  readonly command: string | undefined;
  readonly failures: readonly string[];
  readonly log: string | undefined;
  readonly shas: readonly [string, string];
  /** `null` where nothing was validated. */
  readonly validationId: string | null;
  /** When the conflict was found. */
  readonly at: Date;
}

/** Why the two do not go together, as a clause. */
export function conflictText(
  { paths, command, failures }: Pick<OpenConflict, 'paths' | 'command' | 'failures'>,
  named: (names: readonly string[]) => string,
  quoted = (it: string): string => `\`${printableLine(it, 100)}\``,
): string {
  const which = failures.length === 0 ? '' : `: ${named(failures)}`;
  const fails = command === undefined ? '' : `${quoted(command)} fails${which}`;
  if (paths.length === 0) return `merged, ${fails}`;
  return `git cannot merge ${named(paths)}${fails && `, and as lanehold resolves it ${fails}`}`;
}

/** A conflict is open until newer commits of the two were merged without it. */
export function openConflicts(context: Pick<LaneContext, 'store'>, runId: string): OpenConflict[] {
  const validations = laneValidationStore(context.store);
  return pairsOf(context, runId).flatMap(({ lanes, last, found }) => {
    const judged = judgedIn(found, last);
    const conflict = judged && conflictIn(judged, validations.byId(judged.validationId ?? ''));
    return conflict === undefined ? [] : { lanes, ...conflict };
  });
}

/** Keys of lanes whose merge has not been validated with another one's, although it should be. */
export function untriedLanes({ store }: Pick<LaneContext, 'store'>, runId: string): Set<string> {
  const untried = pairsOf({ store }, runId).filter(({ found, last }) => {
    return last.related && judgedIn(found, last) === undefined;
  });
  return new Set(untried.flatMap(({ lanes }) => lanes.filter((key) => key !== undefined)));
}

/** What is recorded of each two lanes that are apart, and of each with the tip. */
function pairsOf(context: Pick<LaneContext, 'store'>, runId: string) {
  const heads = new Map(headsOf(context, runId).map((it) => [it.lane.id, it]));
  const pairs = Map.groupBy(
    compositionStore(context.store).ofRun(runId),
    ({ aLaneId, bLaneId }) => `${aLaneId} ${bLaneId}`,
  );
  return [...pairs.values()].flatMap((found) => {
    const [first] = found as [Composition];
    const a = heads.get(first.aLaneId);
    const b = heads.get(first.bLaneId ?? '');
    if (a === undefined || (b === undefined && first.bLaneId !== null)) return [];
    const lanes = [a.lane.key, b?.lane.key] as const;
    // The record of the present commits counts as the last one, even if others were added after it.
    const isPresent = ({ aSha, bSha }: Composition) => aSha === a.sha && bSha === (b?.sha ?? bSha);
    return { lanes, found, last: found.findLast(isPresent) ?? found.at(-1) ?? first };
  });
}

function conflictIn(
  { tree, conflicts: paths, aSha, bSha, at }: Composition,
  verdict: Validation | undefined,
): Omit<OpenConflict, 'lanes'> | undefined {
  const failed = verdict && failsOn(verdict, tree) ? verdict : undefined;
  if (paths.length === 0 && failed === undefined) return undefined;
  const { cmd: command, newFailures, logPath: log, id: validationId = null } = failed ?? {};
  const facts = { paths, command, failures: newFailures ?? [], log, validationId, at };
  return { kind: paths.length > 0 ? 'text' : 'validation', ...facts, shas: [aSha, bSha] };
}

/** A verdict on another tree than the merge's is that of a side that fails alone. */
export const failsOn = ({ result, tree }: Validation, merged: string): boolean =>
  (result === 'fail' || result === 'timeout') && tree === merged;

/** While the last one is to be validated, the previous verdict still stands. */
function judgedIn(found: readonly Composition[], last: Composition): Composition | undefined {
  if (!last.related || last.conflicts.length > 0 || last.validationId !== null) return last;
  return found.findLast(({ validationId }) => validationId !== null);
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
