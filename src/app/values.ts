/** Values of options and arguments, parsed. Each throws a `UsageError` for what it cannot read. */
import { UsageError } from '../base/errors.ts';
import { printableLine } from '../base/text/printable.ts';
import { parseDuration, parseTimeout } from '../base/text/time.ts';

/** Milliseconds. */
export function durationOf(written: string): number {
  return parseDuration(written) ?? refuse(`\`${written}\` is no duration`, 'write 90m, 24h or 7d');
}

/** Milliseconds. */
export function timeoutOf(written: string): number {
  return parseTimeout(written) ?? refuse(`\`${written}\` is no time limit`, 'write 90s, 10m or 1h');
}

/** A time in the past: how long ago, or a day or moment of ISO 8601. */
export const momentOf =
  (now: Date) =>
  (written: string): Date => {
    const ms = parseDuration(written);
    const moment = new Date(ms === undefined ? written : now.getTime() - ms);
    const isMoment = ms !== undefined || /^\d{4}-\d\d-\d\d/.test(written);
    if (isMoment && Number.isFinite(moment.getTime())) return moment;
    return refuse(`\`${printableLine(written)}\` is no time`, 'write 2h, 7d or 2026-11-01');
  };

const numberWhere =
  (isRight: (it: number) => boolean, what: string, hint: string) =>
  (written: string): number => {
    const number = Number(written);
    return isRight(number) ? number : refuse(`\`${printableLine(written)}\` is no ${what}`, hint);
  };

const isCount = (it: number) => Number.isInteger(it) && it >= 1;
const isAmount = (it: number) => Number.isFinite(it) && it > 0;
const isFromZero = (it: number) => Number.isSafeInteger(it) && it >= 0;

export const countOf = numberWhere(isCount, 'count', 'give a number from 1 up');
/** Dollars. */
export const amountOf = numberWhere(isAmount, 'amount', 'give dollars, such as 2.50');
export const priorityOf = numberWhere(
  Number.isInteger,
  'priority',
  'give a whole number; 0 is usual',
);
export const eventNumberOf = numberWhere(
  isFromZero,
  'event',
  'give the number that the last handoff named',
);
export const bytesOf = numberWhere(isFromZero, 'count of bytes', 'give a number from 0 up');

/** One of a few words; `kind` names what they are: `format`. */
export function oneOf<T extends string>(kind: string, words: readonly T[], written: string): T {
  const known = words.find((it) => it === written);
  return known ?? refuse(`there is no ${kind} \`${written}\``, `one of ${words.join(', ')}`);
}

/** An option that may be absent, parsed if it is there. */
export function given<T>(parse: (written: string) => T, written: string | undefined) {
  return written === undefined ? undefined : parse(written);
}

/** The properties that have a value. */
export function defined<T extends object>(named: T) {
  const entries = Object.entries(named).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

function refuse(fact: string, hint: string): never {
  throw new UsageError(fact, { hint });
}
