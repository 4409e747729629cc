/** Which lanes conflict with each other now, by the records. */
import { enumerated, printableLine } from '../../base/text/printable.ts';
import { checkpointStore } from '../../store/attempts.ts';
import { type Composition, compositionStore } from '../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { LaneContext } from '../spec/context.ts';
import { is } from '../spec/lane-states.ts';
import { areOfOneNumber } from './related.ts';
import type { Resolution } from './resolve.ts';

export type OpenConflict = ReturnType<typeof fitOf>['open'][number];

/** Why the two conflict, as a clause. */
export function conflictText(
  { paths, command, failures }: Pick<OpenConflict, 'paths' | 'command' | 'failures'>,
  named: (names: readonly string[]) => string,
  quoted = (it: string): string => `\`${printableLine(it, 100)}\``,
): string {
  const which = failures.length === 0 ? '' : `: ${named(failures)}`;
  const fails = command === undefined ? '' : `${quoted(command)} fails${which}`;
  if (paths.length === 0) return `merged, ${fails}`;
  if (isOfNumbers(paths)) return `both add a file of one number: ${named(paths)}`;
  return `git cannot merge ${named(paths)}${fails && `, and as lanehold resolves it ${fails}`}`;
}

const isOfNumbers = ([one = '', other = '']: readonly string[]): boolean =>
  areOfOneNumber(one, other);

/** `merged by syntax in src/a.ts, proven by npm test`, as a clause. */
export function resolvedText({
  way,
  paths,
  refused,
  provenBy = [],
}: Resolution & { readonly provenBy?: readonly string[] }): string {
  const where = paths.length === 0 ? '' : ` in ${enumerated(paths, MOST_NAMED)}`;
  const others = refused.length === 0 ? '' : ` (${refused.join('; ')} did not pass)`;
  const proof = provenBy.length === 0 ? '' : `, proven by ${enumerated(provenBy, MOST_NAMED)}`;
  return way + where + others + proof;
}

const MOST_NAMED = 5;

export function openConflicts({ store }: Pick<LaneContext, 'store'>, runId: string) {
  const verdicts = laneValidationStore(store).shown(runId);
  return fitOf(store, runId, { tips: tipsOf(store, runId), verdicts }).open;
}

/**
 * The records of how the lanes of a run fit together. A conflict is open until newer commits of the two were merged
 * without it; `untried` lanes still need the validation of a merge.
 */
export function fitOf(
  store: Store,
  runId: string,
  known: { readonly tips: readonly LaneTip[]; readonly verdicts: readonly Validation[] },
) {
  const pairs = pairsOf(store, runId, known.tips.filter(isApart));
  const byId = new Map(known.verdicts.map((it) => [it.id, it]));
  const open = pairs.flatMap(({ lanes, last, found }) => {
    const judged = judgedIn(found, last);
    const conflict = judged && conflictIn(judged, byId.get(judged.validationId ?? ''));
    return conflict === undefined ? [] : { lanes, ...conflict };
  });
  const untried = pairs.filter(({ last, found }) => last.related && !judgedIn(found, last));
  const keys = untried.flatMap(({ lanes }) => lanes.filter((key) => key !== undefined));
  return { open, untried: new Set(keys) };
}

/** The records of each pair of unmerged lanes, and of each with the tip. */
function pairsOf(store: Store, runId: string, apart: readonly LaneTip[]) {
  const heads = new Map(apart.map((it) => [it.lane.id, it]));
  const pairs = Map.groupBy(
    compositionStore(store).notable(runId),
    ({ aLaneId, bLaneId }) => `${aLaneId} ${bLaneId}`,
  );
  return [...pairs.values()].flatMap((found) => {
    const [first] = found as [Composition];
    const a = heads.get(first.aLaneId);
    const b = heads.get(first.bLaneId ?? '');
    if (a === undefined || (b === undefined && first.bLaneId !== null)) return [];
    /** Keys; the second is `undefined` for the tip of the integration. */
    const lanes = [a.lane.key, b?.lane.key] as const;
    // The record of the present commits counts as the last one, even if others were added later.
    const isPresent = ({ aSha, bSha }: Composition) => aSha === a.sha && bSha === (b?.sha ?? bSha);
    return { lanes, found, last: found.findLast(isPresent) ?? found.at(-1) ?? first };
  });
}

/**
 * `text`: git cannot merge them. `number`: both add a file of one number to one folder. `validation`: each passes alone,
 * and their merge fails. `command` is the failing one; for a conflict of text, that of the merge with both additions.
 */
function conflictIn(
  { tree, conflicts: paths, aSha, bSha, at }: Composition,
  verdict: Validation | undefined,
) {
  const failed = verdict && failsOn(verdict, tree) ? verdict : undefined;
  if (paths.length === 0 && failed === undefined) return undefined;
  const { cmd: command, newFailures, logPath: log, id: validationId = null } = failed ?? {};
  const facts = { paths, command, failures: newFailures ?? [], log, validationId, at };
  const ofText = isOfNumbers(paths) ? ('number' as const) : ('text' as const);
  const kind = paths.length > 0 ? ofText : ('validation' as const);
  return { kind, ...facts, shas: [aSha, bSha] as const };
}

/** Whether the merge fails: a verdict on another tree is that of a side that fails alone. */
export const failsOn = ({ result, tree }: Validation, merged: string): boolean =>
  (result === 'fail' || result === 'timeout') && tree === merged;

/** The previous verdict counts until the last merge has been validated. */
function judgedIn(found: readonly Composition[], last: Composition): Composition | undefined {
  if (!last.related || last.conflicts.length > 0 || last.validationId !== null) return last;
  return found.findLast(({ validationId }) => validationId !== null);
}

export type LaneTip = ReturnType<typeof tipsOf>[number];

const isApart = ({ lane }: LaneTip): boolean => is('apart', lane.state);

/** The newest commits of lanes that may still conflict. */
export const tipsApart = ({ store }: Pick<LaneContext, 'store'>, runId: string): LaneTip[] =>
  tipsOf(store, runId).filter(isApart);

/** The newest commit of each lane that has one: its newest checkpoint while it is at work, else its head. */
export function tipsOf(
  store: Store,
  runId: string,
  lanes: readonly LaneView[] = laneStore(store).ofRun(runId),
) {
  const checkpoints = checkpointStore(store).lastOfRun(runId);
  const saved = new Map(checkpoints.map(({ laneId, sha }) => [laneId, sha]));
  return lanes.flatMap((lane) => {
    const sha = (is('unfinished', lane.state) ? saved.get(lane.id) : undefined) ?? lane.headSha;
    return sha === null ? [] : { lane, sha };
  });
}

/** The commit with a lane's newest work: its last checkpoint while it is not done, else its branch. */
export const workOf = ({ store }: Pick<LaneContext, 'store'>, lane: LaneView): string | undefined =>
  tipsOf(store, lane.runId, [lane])[0]?.sha;
