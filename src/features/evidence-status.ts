/** Evidence about a content, and whether it is valid: that of this machine, and shared evidence if it counts. */
import type { Feature } from '../base/config/feature.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import type { Store } from '../store/open.ts';
import type { Fingerprint } from './fingerprint.ts';

export interface Wanted {
  readonly feature: Feature;
  readonly fingerprint: Fingerprint;
}

export interface SharedEvidence {
  /** The records that the policy lets count, newest first, by fingerprint. */
  about(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, readonly Evidence[]>>;
}

interface Sources {
  readonly store: Store;
  readonly projectId: number;
  readonly shared?: SharedEvidence;
}

/** Looks up the records about a content, newest first. */
export async function recordsOf(
  { store, projectId, shared }: Sources,
  wanted: readonly Wanted[],
): Promise<(fingerprint: Fingerprint) => readonly Evidence[]> {
  const own = evidenceStore(store);
  if (shared === undefined) return (fingerprint) => own.ofContent(projectId, fingerprint);
  const others = await shared.about(wanted);
  return (fingerprint) => {
    // Imported records were judged by the policy of that day; shared evidence is judged again.
    const here = own.ofContent(projectId, fingerprint).filter(({ source }) => source === null);
    return newestFirst(here, others.get(fingerprint) ?? []);
  };
}

/** Merges both, newest first. Records of this machine stay in the order of ids: its clock may be set back. */
function newestFirst(own: readonly Evidence[], others: readonly Evidence[]): Evidence[] {
  const merged: Evidence[] = [];
  const left = [...others];
  for (const record of own) {
    while (left[0] !== undefined && left[0].at > record.at) merged.push(...left.splice(0, 1));
    merged.push(record);
  }
  return [...merged, ...left];
}

export type EvidenceStatus =
  | { readonly valid: true; readonly by: Evidence }
  /** `last`: the newest record about this content; `beside`: the files that it passed with, and the tree lacks. */
  | {
      readonly valid: false;
      readonly last: Evidence | undefined;
      readonly beside: readonly string[];
    };

/** How old evidence may be, and at what time; the age may be infinite. */
export interface AgeLimit {
  readonly now: Date;
  readonly maxAgeMs: number;
}

/** Clocks are often corrected by small amounts. */
const CLOCK_CORRECTION_MS = 5 * 60_000;

/** Infinite for a record from the future: it was made before the clock was set back. */
function ageOf({ at }: Evidence, now: Date): number {
  const age = now.getTime() - at.getTime();
  return age < -CLOCK_CORRECTION_MS ? Number.POSITIVE_INFINITY : age;
}

/**
 * The newest record decides. An expired waiver does not count, nor does a pass with files that the
 * tree lacks: then the record before it decides.
 *
 * @param records about one fingerprint, newest first.
 * @param lacked what a record passed with, and the tree lacks.
 */
export function evidenceStatus(
  records: readonly Evidence[],
  { now, maxAgeMs }: AgeLimit,
  lacked: (record: Evidence) => readonly string[] = () => [],
): EvidenceStatus {
  const speaking = records.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const decisive = speaking.find((it) => lacked(it).length === 0);
  const counts = decisive !== undefined && decisive.kind !== 'failed';
  if (counts && ageOf(decisive, now) <= maxAgeMs) {
    return { valid: true, by: decisive };
  }
  const last = speaking[0] ?? records[0];
  return { valid: false, last, beside: last === undefined ? [] : lacked(last) };
}
