/** Values of options and arguments, parsed. Each throws a `UsageError` for what it cannot read. */
import { UsageError } from '../errors.ts';
import { parseDuration } from '../text/time.ts';

/** `90m`, `24h`, `7d` in milliseconds. */
export function durationOf(written: string): number {
  const ms = parseDuration(written);
  if (ms !== undefined) return ms;
  throw new UsageError(`\`${written}\` is no duration`, { hint: 'write 90m, 24h or 7d' });
}

/** A number from 1 up. */
export function countOf(written: string): number {
  const count = Number(written);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new UsageError(`\`${written}\` is no count`, { hint: 'give a number from 1 up' });
}
