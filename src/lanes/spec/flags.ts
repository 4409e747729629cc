/** Warnings on a lane besides its state, and whether a person has to look first. */
import { STOPPING_FLAGS } from '../../base/config/lane-flags.ts';
import { parsedJson } from '../../base/text/json.ts';
import { printableLine } from '../../base/text/printable.ts';
import { type AcceptedFlag, acceptedFlagStore } from '../../store/accepted-flags.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneReportStore, type Report } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';

export type LaneFlag = ReturnType<typeof flagsIn>[number];

const MOST_DATA = 50;

/** The form in which a flag is stored: `kind`, or `kind: data`. */
export function flagText(kind: string, data: readonly string[]): string {
  return data.length === 0 ? kind : `${kind}: ${JSON.stringify(data.slice(0, MOST_DATA))}`;
}

/** Flags of the attempts that made the lane's commit, and of the verdict on it. */
export const flagsOf = (store: Store, lane: LaneView): LaneFlag[] =>
  flagsIn(sourcesOf(store, lane), lane);

export interface FlagSources {
  readonly attempts: readonly Attempt[];
  readonly verdict: Validation | undefined;
  /** The flags of the lane's present commit. */
  readonly accepted: readonly Pick<AcceptedFlag, 'flag' | 'by'>[];
  /** Messages that no attempt has got. */
  readonly messages: readonly Pick<Report, 'body'>[];
}

function sourcesOf(store: Store, { id, runId, headSha, validationId }: LaneView): FlagSources {
  return {
    attempts: attemptStore(store).ofLane(id),
    verdict: laneValidationStore(store).byId(validationId ?? ''),
    accepted: acceptedFlagStore(store).of(id, headSha ?? ''),
    messages: laneReportStore(store)
      .undeliveredMessages(runId)
      .filter(({ laneId }) => laneId === id),
  };
}

export function flagsIn(sources: FlagSources, lane: Pick<LaneView, 'headSha'>) {
  return flagTexts(sources, lane).map(([text, acceptedBy]) => {
    const kind = kindOf(text);
    const data = text.slice(kind.length + 2);
    // It stops the integration until a person has accepted it, or `lanes.accept` names its kind.
    const stops = STOPPING.has(kind) && acceptedBy === null;
    return { kind, data: data === '' ? [] : listed(data), stops, acceptedBy };
  });
}

/** Flags that stop a verified lane until somebody has looked. */
export function stoppingFlags(store: Store, lane: LaneView): LaneFlag[] {
  return lane.state === 'verified' ? flagsOf(store, lane).filter(({ stops }) => stops) : [];
}

export const isToBeLookedAt = (store: Store, lane: LaneView): boolean =>
  stoppingFlags(store, lane).length > 0;

/** Accepts flags of the lane's commit; by default all that stop. */
export function acceptFlags(
  store: Store,
  lane: LaneView,
  { by, kinds = STOPPING_FLAGS, now: at }: { by: string; kinds?: readonly string[]; now: Date },
): void {
  const { id: laneId, headSha: sha } = lane;
  if (sha === null) return;
  const isMeant = (kind: string) => STOPPING.has(kind) && kinds.includes(kind);
  const meant = flagTexts(sourcesOf(store, lane), lane).filter(([text]) => isMeant(kindOf(text)));
  store.write(() => {
    for (const [flag, acceptedBy] of meant) {
      if (acceptedBy === null) acceptedFlagStore(store).add({ laneId, sha, flag, by, at });
    }
  });
}

/** Flags of a verdict that the reason already contains: a rejection, or a missing verdict. */
export const TESTS_REMOVED = 'rejected-for-removed-tests';
export const COULD_NOT_RUN = 'could-not-run';
export const BASE_TESTS_FAILED = 'base-tests-failed';
/** The user's own checkout was changed while the lane was at work; the data are the files. */
export const MAIN_CHANGED = 'main-checkout-changed';
const HIDDEN = new Set([TESTS_REMOVED, COULD_NOT_RUN]);

const STOPPING: ReadonlySet<string> = new Set(STOPPING_FLAGS);

/** The flags, each once, with who has accepted it. */
function flagTexts(
  { attempts, verdict, accepted, messages }: FlagSources,
  { headSha }: Pick<LaneView, 'headSha'>,
): (readonly [string, string | null])[] {
  const made = attempts.filter((it, at) => it.endSha === headSha || at === attempts.length - 1);
  const texts = [
    ...made.flatMap(({ flags }) => flags),
    ...(verdict?.flags ?? []),
    ...messages.map(({ body }) => flagText('message-not-delivered', [body])),
  ];
  const by = new Map(accepted.map((it) => [it.flag, it.by]));
  // Commits of dependencies that were tried are notes for the scheduler.
  const shown = texts.filter((text) => !COMMIT.test(text) && !HIDDEN.has(text));
  return [...new Set(shown)].map((text) => [text, by.get(text) ?? null]);
}

/** A text is `kind`, or `kind: data`. */
const kindOf = (text: string): string => /^([\w-]+)(?:: |$)/.exec(text)?.[1] ?? text;

const COMMIT = /^[0-9a-f]{40,64}$/;

function listed(data: string): string[] {
  const parsed = parsedJson(data);
  return Array.isArray(parsed) ? parsed.map(String) : [data];
}

/** `proof-changed (package.json, check.sh and 2 more)` */
export function flagWords({ kind, data, acceptedBy }: LaneFlag): string {
  const more = data.length > SHOWN ? ` and ${data.length - SHOWN} more` : '';
  const shown = printableLine(data.slice(0, SHOWN).join(', '), MOST_CHARS);
  const what = data.length === 0 ? '' : ` (${shown}${more})`;
  return `${kind}${what}${acceptedBy === null ? '' : `, accepted by ${printableLine(acceptedBy)}`}`;
}

const SHOWN = 3;
const MOST_CHARS = 2_000;
