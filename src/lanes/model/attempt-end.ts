/** How an attempt ended, for people. */
import type { Attempt } from '../../store/attempts.ts';

type AttemptEnd = Pick<Attempt, 'endReason' | 'endCause' | 'endDetail'>;

/** `rejected: scope: src/other.ts`; empty before its end. */
export const endWords = ({ endReason, endCause, endDetail }: AttemptEnd): string =>
  [endReason, endCause, endDetail].filter(Boolean).join(': ');
