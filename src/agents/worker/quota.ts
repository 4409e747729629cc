/**
 * When a usage limit ends, from an agent's message: `resets 6:30pm (Europe/Berlin)`,
 * `try again in 3 hours 5 minutes`, `…limit reached|1795357800`, `Retry-After: 120`.
 *
 * Only what follows such a word counts: logs contain many other times.
 */
import type { ParsedComponents } from 'chrono-node';
import { casual } from 'chrono-node/en';
import { attempt } from '../../base/errors.ts';

const LOOKED_AT_CHARS = 20_000;
/** The characters after such a word that are searched for a time. */
const FOLLOWING_CHARS = 120;
/** No limit lasts longer: a later time was misread. */
const MAX_AHEAD_MS = 62 * 86_400_000;
/** A limit that ended earlier is not the cause of this failure. */
const MAX_BEHIND_MS = 86_400_000;

/** A name of the tz database, or an offset from UTC in minutes. */
type Zone = string | number;

const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `undefined` if the text names no time. @param zone of times without a zone. */
export function resumeTime(text: string, now: Date, zone = localZone()): Date | undefined {
  const tail = text.slice(-LOOKED_AT_CHARS);
  for (const found of candidates(tail, now, zone)) {
    const ahead = found.getTime() - now.getTime();
    if (ahead >= -MAX_BEHIND_MS && ahead <= MAX_AHEAD_MS) return found;
  }
  return undefined;
}

const EPOCH =
  /(?:\||\bresets?[ _-]?(?:at|time)\b["']?\s*[:=]?)\s*["']?(\d{10}(?:\d{3})?)(?![\d.])/gi;
const SECONDS =
  /\b(?:retry[-_ ]?after|resets?[-_ ](?:in|after))(?:[-_]?(ms|milliseconds|seconds))?["']?\s*[:=]\s*["']?(\d{1,9}(?:\.\d{1,6})?)["']?(?![\w:./-])/gi;
const CUE =
  /\b(?:resets?|resetting|renews?|refresh(?:es)?|resumes?|try again|retry(?:ing)?(?:[-_ ]?after|[-_ ]?delay)?|available|until|wait|come back)\b["']?/gi;
const IN = /\bin(?=\s+[\da])/gi;
/** Words between such a word and its time. */
const FILLER =
  /^(?:[\s:=,~·"'(]+|(?:again|at|on|by|in|after|for|around|about|approximately|the|your|its|is|will|be|quota|limits?|time)\b)*/i;

/** Exact times first: messages often repeat them in words. */
function* candidates(text: string, now: Date, zone: string): Generator<Date> {
  for (const [, digits = ''] of text.matchAll(EPOCH)) {
    yield new Date(Number(digits) * (digits.length === 13 ? 1 : 1000));
  }
  for (const [, unit = 's', amount] of text.matchAll(SECONDS)) {
    yield new Date(now.getTime() + Number(amount) * (unit.startsWith('m') ? 1 : 1000));
  }
  for (const cue of [CUE, IN]) {
    for (const { 0: word, index } of text.matchAll(cue)) {
      const start = index + word.length;
      const rest = text.slice(start, start + FOLLOWING_CHARS).replace(FILLER, '');
      const found = dateAt(rest, now, zone);
      if (found !== undefined) yield found;
    }
  }
}

/** A span or a date at the start of a text. */
function dateAt(text: string, now: Date, zone: string): Date | undefined {
  // The library reads `18h30m12s` and `an hour and 5 minutes`, but no milliseconds.
  const span = text.replace(
    /^(\d{1,9}) ?(?:ms|milliseconds?)\b/,
    (_, ms) => `${Number(ms) / 1_000}s`,
  );
  if (SPAN.test(span)) return casual.parseDate(`in ${span}`, now) ?? undefined;
  const found = read(text, now, zone, false);
  if (found === undefined) return undefined;
  const { start } = found;
  const offset = start.isCertain('timezoneOffset') ? start.get('timezoneOffset') : null;
  const named = offset ?? zoneAt(text.slice(found.text.length)) ?? zone;
  // A time without a date is the next such time in that zone, or the next such weekday.
  const isAhead = !start.isCertain('day');
  return instantOf((read(text, now, named, isAhead) ?? found).start, named);
}

const SPAN =
  /^(?:\d{1,6}(?:\.\d{1,9})?|an?|one)\s*(?:[smhdw]|(?:sec|min|hr|minute|second|hour|day|week)s?)(?![a-z])/i;

const DATE =
  /^(?:\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat|today|tomorrow))/i;

/** @param isAhead whether a time that has passed means the next day or week. */
function read(text: string, now: Date, zone: Zone, isAhead: boolean) {
  if (!DATE.test(text)) return undefined;
  // A limit that ends now would have ended.
  const instant = new Date(now.getTime() + 1);
  const reference = { instant, timezone: offsetAt(instant.getTime(), zone) };
  const [found] = casual.parse(text, reference, { forwardDate: isAhead });
  return found?.index === 0 ? found : undefined;
}

/** A zone that the library does not read: `(Europe/Berlin)`. */
function zoneAt(text: string): string | undefined {
  const [, name] = /^[\s,]*\(?\s*([A-Za-z]{1,30}(?:\/[A-Za-z_+-]{1,30}){1,2})/.exec(text) ?? [];
  const isKnown = attempt(() => new Intl.DateTimeFormat('en-US', { timeZone: name })) !== undefined;
  return isKnown ? name : undefined;
}

function instantOf(written: ParsedComponents, zone: Zone): Date {
  const [year = 0, month = 0, day = 0] = DAY.map((it) => written.get(it) ?? 0);
  const clock = CLOCK.map((it) => (written.isCertain(it) ? (written.get(it) ?? 0) : 0));
  const shown = Date.UTC(year, month - 1, day, ...clock);
  // The offset depends on the instant: take it near the instant first, then exactly.
  const near = shown - offsetAt(shown, zone) * MINUTE_MS;
  return new Date(shown - offsetAt(near, zone) * MINUTE_MS);
}

const DAY = ['year', 'month', 'day'] as const;
const CLOCK = ['hour', 'minute', 'second'] as const;
const MINUTE_MS = 60_000;

/** Offset from UTC in minutes. */
function offsetAt(instantMs: number, zone: Zone): number {
  if (typeof zone === 'number') return zone;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  });
  const name = format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
