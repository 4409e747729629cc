import { parseTimeout } from '../config/registry-file-timeout.ts';
import { UsageError } from '../errors.ts';

const DAY_MS = 86_400_000;

/** `90m`, `24h`, `7d` in milliseconds. @throws {UsageError} */
export function durationOf(written: string): number {
  const days = /^([1-9]\d{0,2})d$/.exec(written)?.[1];
  const ms = days === undefined ? parseTimeout(written) : Number(days) * DAY_MS;
  if (ms !== undefined) return ms;
  throw new UsageError(`\`${written}\` is no duration`, { hint: 'write 90m, 24h or 7d' });
}

/** A number from 1 up. @throws {UsageError} */
export function countOf(written: string): number {
  const count = Number(written);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new UsageError(`\`${written}\` is no count`, { hint: 'give a number from 1 up' });
}
