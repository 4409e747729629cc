/** Warnings on a lane besides its state: what they are about, and whether a person has to look first. */
import { STOPPING_FLAGS } from '../../config/lane-flags.ts';
import { acceptedFlagStore } from '../../store/accepted-flags.ts';
import { attemptStore } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { printableLine } from '../../text/printable.ts';

export interface LaneFlag {
  readonly kind: string;
  /** Names of files, tests or tasks. */
  readonly data: readonly string[];
  /** It is integrated only after a person has accepted this, or where `lanes.accept` names the kind. */
  readonly stops: boolean;
  /** Who has accepted it. */
  readonly acceptedBy: string | null;
}

const MOST_DATA = 50;

/** As it is stored. */
export function flagText(kind: string, data: readonly string[]): string {
  return data.length === 0 ? kind : `${kind}: ${JSON.stringify(data.slice(0, MOST_DATA))}`;
}

/** Of the attempts that made the lane's commit, and of the verdict on it. */
export function flagsOf(store: Store, lane: LaneView): LaneFlag[] {
  return [...flagTexts(store, lane)].map(([text, acceptedBy]) => {
    const [, kind = text, data] = FLAG.exec(text) ?? [];
    const stops = STOPPING.has(kind) && acceptedBy === null;
    return { kind, data: data === undefined ? [] : listed(data), stops, acceptedBy };
  });
}

/** Verified, but not to be integrated before somebody has looked. */
export function isToBeLookedAt(store: Store, lane: LaneView): boolean {
  return lane.state === 'verified' && flagsOf(store, lane).some(({ stops }) => stops);
}

/** Accepts flags of the lane's commit; by default all that stop. @returns how many. */
export function acceptFlags(
  store: Store,
  lane: LaneView,
  { by, kinds, now }: { by: string; kinds?: readonly string[]; now: Date },
): number {
  const { id: laneId, headSha: sha } = lane;
  if (sha === null) return 0;
  const open = [...flagTexts(store, lane)]
    .filter(([, acceptedBy]) => acceptedBy === null)
    .map(([text]) => ({ text, kind: FLAG.exec(text)?.[1] ?? text }))
    .filter(({ kind }) => STOPPING.has(kind) && (kinds === undefined || kinds.includes(kind)));
  const flags = acceptedFlagStore(store);
  store.write(() => {
    for (const { text: flag } of open) flags.add({ laneId, sha, flag, by, at: now });
  });
  return open.length;
}

/** Of a verdict that rejects the work for removed tests, which its reason says. */
export const TESTS_REMOVED = 'rejected-for-removed-tests';

const STOPPING: ReadonlySet<string> = new Set(STOPPING_FLAGS);

/** With who has accepted them. */
function flagTexts(store: Store, lane: LaneView): Map<string, string | null> {
  const { id, headSha, validationId } = lane;
  const tries = attemptStore(store).ofLane(id);
  const made = tries.filter((it, at) => it.endSha === headSha || at === tries.length - 1);
  const verdict = laneValidationStore(store).byId(validationId ?? '');
  const texts = [...made.flatMap(({ flags }) => flags), ...(verdict?.flags ?? [])];
  const accepted = acceptedFlagStore(store).of(id, headSha ?? '');
  const by = new Map(accepted.map((it) => [it.flag, it.by]));
  // Commits of dependencies that were tried are notes for the scheduler.
  const shown = texts.filter((text) => !COMMIT.test(text) && text !== TESTS_REMOVED);
  return new Map(shown.map((text) => [text, by.get(text) ?? null]));
}

/** `kind`, or `kind: data`. */
const FLAG = /^([\w-]+)(?:: (.*))?$/s;
const COMMIT = /^[0-9a-f]{40,64}$/;

function listed(data: string): string[] {
  try {
    const parsed: unknown = JSON.parse(data);
    if (Array.isArray(parsed)) return parsed.map(String);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return [data];
}

/** `proof-changed (package.json, check.sh and 2 more)` */
export function flagWords({ kind, data, acceptedBy }: LaneFlag): string {
  const more = data.length > SHOWN ? ` and ${data.length - SHOWN} more` : '';
  const what =
    data.length === 0 ? '' : ` (${printableLine(data.slice(0, SHOWN).join(', '))}${more})`;
  return `${kind}${what}${acceptedBy === null ? '' : `, accepted by ${printableLine(acceptedBy)}`}`;
}

const SHOWN = 3;
