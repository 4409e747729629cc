/** Values of options and arguments, parsed. Each throws a `UsageError` for what it cannot read. */
import { UsageError } from '../errors.ts';
import { printableLine } from '../text/printable.ts';
import { parseDuration, parseTimeout } from '../text/time.ts';

/** Milliseconds. */
export function durationOf(written: string): number {
  return parseDuration(written) ?? refuse(`\`${written}\` is no duration`, 'write 90m, 24h or 7d');
}

/** Milliseconds. */
export function timeoutOf(written: string): number {
  return parseTimeout(written) ?? refuse(`\`${written}\` is no time limit`, 'write 90s, 10m or 1h');
}

/** A number from 1 up. */
export function countOf(written: string): number {
  const count = Number(written);
  if (Number.isInteger(count) && count >= 1) return count;
  return refuse(`\`${written}\` is no count`, 'give a number from 1 up');
}

/** Dollars. */
export function amountOf(written: string): number {
  const amount = Number(written);
  if (Number.isFinite(amount) && amount > 0) return amount;
  return refuse(`\`${written}\` is no amount`, 'give dollars, such as 2.50');
}

export function priorityOf(written: string): number {
  const priority = Number(written);
  if (Number.isInteger(priority)) return priority;
  return refuse(`\`${written}\` is no priority`, 'give a whole number; 0 is usual');
}

/** The number of an event of a run. */
export function eventNumberOf(written: string): number {
  const number = Number(written);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  return refuse(
    `\`${printableLine(written)}\` is no event`,
    'give the number that the last handoff named',
  );
}

/** One of a few words; `kind` names what they are: `format`. */
export function oneOf<T extends string>(kind: string, words: readonly T[], written: string): T {
  const known = words.find((it) => it === written);
  return known ?? refuse(`there is no ${kind} \`${written}\``, `one of ${words.join(', ')}`);
}

/** An option that may be absent, parsed if it is there. */
export function given<T>(
  parse: (written: string) => T,
  written: string | undefined,
): T | undefined {
  return written === undefined ? undefined : parse(written);
}

/** The properties that have a value. */
export function defined<T extends object>(
  named: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(named).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

function refuse(fact: string, hint: string): never {
  throw new UsageError(fact, { hint });
}
