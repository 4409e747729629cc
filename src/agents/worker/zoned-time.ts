/** Dates and times of any time zone: the standard library knows only UTC and the local zone. */
import { attempt } from '../../errors.ts';

/** A name of the tz database, or an offset from UTC in milliseconds. */
export type Zone = string | number;

export interface CalendarDay {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

export interface Clock {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const MIDNIGHT: Clock = { hour: 0, minute: 0, second: 0 };
const DAY_MS = 86_400_000;

/** The instant of a local date and time; days beyond a month's end count into the next one. */
export function instantOf(day: CalendarDay, clock: Clock, zone: Zone): Date {
  const shown = utc(day, clock);
  // The offset depends on the instant: take it near the instant first, then exactly.
  const near = shown - offsetAt(shown, zone);
  return new Date(shown - offsetAt(near, zone));
}

/** The date in a zone. */
export function dayIn(instant: Date, zone: Zone): CalendarDay & { readonly weekday: number } {
  const local = new Date(instant.getTime() + offsetAt(instant.getTime(), zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
  };
}

/** False for 31 February. */
export function isDay(day: CalendarDay): boolean {
  const instant = new Date(utc(day, MIDNIGHT));
  return instant.getUTCDate() === day.day && instant.getUTCMonth() + 1 === day.month;
}

export const daysAfter = (day: CalendarDay, days: number): CalendarDay =>
  dayIn(new Date(utc(day, MIDNIGHT) + days * DAY_MS), 0);

function utc({ year, month, day }: CalendarDay, { hour, minute, second }: Clock): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Offset from UTC in milliseconds. */
function offsetAt(instantMs: number, zone: Zone): number {
  if (typeof zone === 'number') return zone;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(instantMs).map(({ type, value }) => [type, value]));
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const day = { year: field('year'), month: field('month'), day: field('day') };
  const clock = { hour: field('hour'), minute: field('minute'), second: field('second') };
  return utc(day, clock) - Math.floor(instantMs / 1000) * 1000;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Abbreviations that services use; several of them mean other zones elsewhere. */
const HOURS_AHEAD: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  WET: 0,
  BST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  IST: 5.5,
  SGT: 8,
  JST: 9,
  KST: 9,
  AEST: 10,
  AEDT: 11,
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
};

/**
 * A zone as messages write it: `Europe/Berlin`, `UTC`, `PST`, `+02:00`, `GMT-7`; else `undefined`.
 */
export function zoneNamed(name: string): Zone | undefined {
  const [, sign, hours, minutes = '0'] =
    /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(name) ?? [];
  if (hours !== undefined) {
    const ahead = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
    return ahead <= 18 * HOUR_MS ? (sign === '-' ? -ahead : ahead) : undefined;
  }
  const known = HOURS_AHEAD[name.toUpperCase()];
  if (known !== undefined) return known * HOUR_MS;
  return name.includes('/') && isZone(name) ? name : undefined;
}

function isZone(name: string): boolean {
  return attempt(() => new Intl.DateTimeFormat('en-US', { timeZone: name })) !== undefined;
}

export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
