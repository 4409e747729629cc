/** What the records about exactly one content amount to. Pure. */
import type { Evidence } from '../store/evidence.ts';

export type EvidenceStatus =
  | { readonly valid: true; readonly by: Evidence }
  /** `last`: the newest record about this very content, if there is one; it does not suffice. */
  | { readonly valid: false; readonly last: Evidence | undefined };

/** When evidence is asked for, and how old it may be then; the age may be infinite. */
export interface AgeLimit {
  readonly now: Date;
  readonly maxAgeMs: number;
}

/** Clocks are put right by moments all the time. */
const MOMENTS_MS = 5 * 60_000;

/** Of a record from the future, which was made before the clock was set back, nobody knows it. */
function ageOf({ at }: Evidence, now: Date): number {
  const age = now.getTime() - at.getTime();
  return age < -MOMENTS_MS ? Number.POSITIVE_INFINITY : age;
}

/**
 * The newest record decides: a later one supersedes. A waiver that has expired says nothing, so
 * that what stood before it stands again.
 *
 * @param records about one fingerprint, newest first.
 */
export function evidenceStatus(
  records: readonly Evidence[],
  { now, maxAgeMs }: AgeLimit,
): EvidenceStatus {
  const speaking = records.find(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const counts = speaking !== undefined && speaking.kind !== 'failed';
  if (counts && ageOf(speaking, now) <= maxAgeMs) {
    return { valid: true, by: speaking };
  }
  return { valid: false, last: speaking ?? records[0] };
}
