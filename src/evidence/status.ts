/** Whether the records about one content are valid evidence. Pure. */
import type { Evidence } from '../store/evidence.ts';

export type EvidenceStatus =
  | { readonly valid: true; readonly by: Evidence }
  /** `last`: the newest record about this content, if there is one. */
  | { readonly valid: false; readonly last: Evidence | undefined };

/** How old evidence may be, and at what time; the age may be infinite. */
export interface AgeLimit {
  readonly now: Date;
  readonly maxAgeMs: number;
}

/** Clocks are corrected by small amounts all the time. */
const CLOCK_CORRECTION_MS = 5 * 60_000;

/** Infinite for a record from the future: it was made before the clock was set back. */
function ageOf({ at }: Evidence, now: Date): number {
  const age = now.getTime() - at.getTime();
  return age < -CLOCK_CORRECTION_MS ? Number.POSITIVE_INFINITY : age;
}

/**
 * The newest record decides. An expired waiver does not count, so the record before it decides.
 *
 * @param records about one fingerprint, newest first.
 */
export function evidenceStatus(
  records: readonly Evidence[],
  { now, maxAgeMs }: AgeLimit,
): EvidenceStatus {
  const decisive = records.find(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const counts = decisive !== undefined && decisive.kind !== 'failed';
  if (counts && ageOf(decisive, now) <= maxAgeMs) {
    return { valid: true, by: decisive };
  }
  return { valid: false, last: decisive ?? records[0] };
}
