/**
 * Reads a point in time at the start of a text: `3 hours 5 minutes`, `Nov 25, 6pm`, `Monday at
 * 9:00`.
 */
import {
  type CalendarDay,
  type Clock,
  dayIn,
  daysAfter,
  instantOf,
  isDay,
  type Zone,
  zoneNamed,
} from './zoned-time.ts';

/** A time of day that has passed is tomorrow's. @param zone of times without a zone. */
export function dateAt(text: string, now: Date, zone: Zone): Date | undefined {
  const span = spanAt(text);
  if (span !== undefined) return new Date(now.getTime() + span);
  const words = wordsAt(text);
  return words === undefined ? undefined : moment(words, now, words.zone ?? zone);
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const STEP =
  /(?:\s|,|and\b)*(\d{1,6}(?:\.\d{1,9})?|an?|one)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])/iy;

/** `18h30m12s`, `an hour and 5 minutes`, in milliseconds. */
function spanAt(text: string): number | undefined {
  let total: number | undefined;
  STEP.lastIndex = 0;
  for (let step = STEP.exec(text); step !== null; step = STEP.exec(text)) {
    const [, amount = '', unit = ''] = step;
    const count = /^\d/.test(amount) ? Number(amount) : 1;
    const short = /^(?:ms|milli)/i.test(unit) ? 'ms' : unit.charAt(0).toLowerCase();
    total = (total ?? 0) + count * (UNITS_MS[short] ?? 0);
  }
  return total;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)';
const YEAR = '(?:,?\\s+(\\d{4})(?!\\d|:))?';

const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})(?!\d)/;
const MONTH_DAY = new RegExp(`^${MONTH}\\s+${DAY}${YEAR}`, 'i');
const DAY_MONTH = new RegExp(`^${DAY}\\s+${MONTH}${YEAR}`, 'i');
const WEEKDAY = /^(sun|mon|tue|wed|thu|fri|sat)(?:[a-z]{0,6})\b\.?/i;
const RELATIVE = /^(today|tomorrow)\b/i;
const CLOCK = /^T?(\d{1,2})(?::(\d{2}))?(?::(\d{2})(?:\.\d{1,9})?)?\s?([ap]\.?m\b\.?)?/i;
const ZONE =
  /^[\s,]*\(?\s*((?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?(?!\d)|[A-Za-z]{1,30}\/[A-Za-z_+-]{1,30}(?:\/[A-Za-z_-]{1,30})?|[A-Z]{1,4}(?![A-Za-z]))/;
const BETWEEN = /^(?:[\s,]|(?:at|on)\b)+/i;

interface Words {
  readonly date?: {
    readonly year: number | undefined;
    readonly month: number;
    readonly day: number;
  };
  readonly weekday?: number;
  readonly daysAhead?: number;
  readonly clock?: Clock;
  readonly zone?: Zone;
}

/** Days, clock times and zones that follow one another. */
function wordsAt(text: string): Words | undefined {
  let words: Words = {};
  let rest = text;
  for (const read of [dayWords, clockWords, dayWords] as const) {
    const found = read(rest);
    if (found === undefined) continue;
    words = { ...found.words, ...words };
    rest = rest.slice(found.length).replace(BETWEEN, '');
  }
  return Object.keys(words).length === 0 ? undefined : words;
}

interface Found {
  readonly words: Words;
  readonly length: number;
}

function dayWords(text: string): Found | undefined {
  const weekday = WEEKDAY.exec(text);
  if (weekday !== null) {
    const [all, name = ''] = weekday;
    // A date that follows the weekday is more exact.
    const length = all.length + (BETWEEN.exec(text.slice(all.length))?.[0].length ?? 0);
    const date = dateWords(text.slice(length));
    if (date !== undefined) return { words: date.words, length: length + date.length };
    return { words: { weekday: WEEKDAYS.indexOf(name.toLowerCase()) }, length };
  }
  const relative = RELATIVE.exec(text);
  if (relative === null) return dateWords(text);
  const [word] = relative;
  return { words: { daysAhead: word.toLowerCase() === 'today' ? 0 : 1 }, length: word.length };
}

function dateWords(text: string): Found | undefined {
  const iso = ISO_DAY.exec(text);
  if (iso !== null) {
    return dateOf(iso[0], { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) });
  }
  const first = MONTH_DAY.exec(text);
  const [all = '', name = '', day, year] =
    first ?? (([it, number, month, last]) => [it, month, number, last])(DAY_MONTH.exec(text) ?? []);
  if (day === undefined) return undefined;
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  return dateOf(all, {
    year: year === undefined ? undefined : Number(year),
    month,
    day: Number(day),
  });
}

function dateOf(all: string, date: NonNullable<Words['date']>): Found | undefined {
  // Without a year 29 February is valid: 2028 is a leap year.
  const possible = isDay({ ...date, year: date.year ?? 2028 });
  return possible ? { words: { date }, length: all.length } : undefined;
}

/** `6pm`, `18:30`, `6:30 p.m. (Europe/Berlin)`; a plain number is no time. */
function clockWords(text: string): Found | undefined {
  const [all = '', hours, minutes, seconds, half] = CLOCK.exec(text) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined;
  const hour = hourOf(Number(hours), half);
  const clock = { hour, minute: Number(minutes ?? 0), second: Number(seconds ?? 0) };
  if (Number.isNaN(hour) || clock.minute > 59 || clock.second > 59) return undefined;
  const [behind = '', name = ''] = ZONE.exec(text.slice(all.length)) ?? [];
  const zone = zoneNamed(name);
  if (zone === undefined) return { words: { clock }, length: all.length };
  return { words: { clock, zone }, length: all.length + behind.length };
}

function hourOf(written: number, half: string | undefined): number {
  if (half === undefined) return written <= 23 ? written : Number.NaN;
  if (written < 1 || written > 12) return Number.NaN;
  return (written % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

const MIDNIGHT: Clock = { hour: 0, minute: 0, second: 0 };

function moment(words: Words, now: Date, zone: Zone): Date {
  const { date, weekday, daysAhead, clock = MIDNIGHT } = words;
  const today = dayIn(now, zone);
  const on = (day: CalendarDay): Date => instantOf(day, clock, zone);
  if (date !== undefined) return onDate(date, { now, today, on });
  if (daysAhead !== undefined) return on(daysAfter(today, daysAhead));
  const ahead = weekday === undefined ? 0 : (weekday - today.weekday + 7) % 7;
  const next = on(daysAfter(today, ahead));
  if (next > now) return next;
  return on(daysAfter(today, ahead + (weekday === undefined ? 1 : 7)));
}

interface Today {
  readonly now: Date;
  readonly today: CalendarDay;
  readonly on: (day: CalendarDay) => Date;
}

/** Without a year the nearest one: in December, January is next year's. */
function onDate(date: NonNullable<Words['date']>, { now, today, on }: Today): Date {
  const { year, month, day } = date;
  if (year !== undefined) return on({ year, month, day });
  const distance = (it: Date): number => Math.abs(it.getTime() - now.getTime());
  const years = [today.year, today.year + 1, today.year - 1];
  return years
    .map((it) => on({ year: it, month, day }))
    .reduce((nearest, it) => (distance(it) < distance(nearest) ? it : nearest));
}
