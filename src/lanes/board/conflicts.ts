/** Two lanes, or a lane and the tip of the integration, that do not go together as they are now. */
import { type Composition, compositionStore } from '../../store/compositions.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneState } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';

export interface OpenConflict {
  readonly lane: string;
  /** `null`: the tip of the integration. */
  readonly with: string | null;
  readonly shas: readonly [string, string];
  /** Paths that git could not merge; empty where only the validation of both together fails. */
  readonly paths: readonly string[];
  readonly validationId: string | null;
  readonly command: string | null;
  readonly at: Date;
}

interface Party {
  readonly id: string;
  readonly key: string;
  readonly state: LaneState;
}

/** Of each pair the last look counts; lanes that are out of the way are in nobody's. */
export function openConflicts(
  store: Store,
  runId: string,
  lanes: readonly Party[],
): readonly OpenConflict[] {
  const present = new Map(
    lanes.filter(({ state }) => !GONE.has(state)).map((lane) => [lane.id, lane]),
  );
  const last = new Map<string, Composition>();
  for (const it of compositionStore(store).ofRun(runId)) {
    last.set([it.aLaneId, it.bLaneId ?? ''].sort().join(' '), it);
  }
  return [...last.values()].flatMap((it) => toConflict(store, it, present));
}

const GONE: ReadonlySet<LaneState> = new Set(['cancelled', 'landed']);

function toConflict(
  store: Store,
  it: Composition,
  present: ReadonlyMap<string, Party>,
): OpenConflict[] {
  const a = present.get(it.aLaneId);
  const b = it.bLaneId === null ? null : present.get(it.bLaneId);
  if (a === undefined || b === undefined) return [];
  const validation =
    it.validationId === null ? undefined : laneValidationStore(store).byId(it.validationId);
  const fails = validation?.result === 'fail' || validation?.result === 'timeout';
  if (it.conflicts.length === 0 && !fails) return [];
  return [
    {
      lane: a.key,
      with: b?.key ?? null,
      shas: [it.aSha, it.bSha],
      paths: it.conflicts,
      validationId: it.validationId,
      command: validation?.cmd ?? null,
      at: it.at,
    },
  ];
}
