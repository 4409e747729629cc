/** Time in text: durations as settings and options write them, durations and ages for people. */
import { plural } from './printable.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNIT_MS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY } as const;
type Unit = keyof typeof UNIT_MS;

/** A time limit: `90s`, `5m`, `2h`. */
export const TIMEOUT = /^([1-9][0-9]{0,5})([smh])$/;
/** An age: `90m`, `24h`, `7d`, `4w`. */
export const AGE = /^([1-9][0-9]{0,3})([mhdw])$/;

/** Longest time limit of a smoke test; fits in a timer. */
export const MAX_TIMEOUT_MS = DAY;

/** A time limit in milliseconds; a number is one of seconds. `undefined` for any other text. */
export function parseTimeout(written: string | number): number | undefined {
  const ms = typeof written === 'number' ? Math.round(written * SECOND) : parsed(written, TIMEOUT);
  return ms !== undefined && ms >= 1 && ms <= MAX_TIMEOUT_MS ? ms : undefined;
}

/** An age in milliseconds; `undefined` for any other text. */
export function parseAge(written: string): number | undefined {
  return parsed(written, AGE);
}

/** A time limit or an age in milliseconds; `undefined` for any other text. */
export function parseDuration(written: string): number | undefined {
  return parseTimeout(written) ?? parseAge(written);
}

function parsed(written: string, pattern: RegExp): number | undefined {
  const [, amount, unit] = pattern.exec(written) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNIT_MS[unit as Unit];
}

/** The shortest way to write a time limit that `parseTimeout` reads back as the same. */
export function formatTimeout(ms: number): string | number {
  return formatted(ms, ['h', 'm', 's']) ?? ms / SECOND;
}

/** The shortest way to write an age that `parseAge` reads back as the same. */
export function formatAge(ms: number): string {
  return formatted(ms, ['w', 'd', 'h']) ?? `${ms / MINUTE}m`;
}

function formatted(ms: number, units: readonly Unit[]): string | undefined {
  const unit = units.find((it) => ms % UNIT_MS[it] === 0);
  return unit && `${ms / UNIT_MS[unit]}${unit}`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`, `3 d 4 h`: two units at most. */
export function duration(ms: number): string {
  if (ms < 10 * SECOND) return `${Math.round(Math.max(ms, 0) / 100) / 10} s`;
  if (ms < MINUTE - SECOND / 2) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR - SECOND / 2) return twoUnits(Math.round(ms / SECOND), 60, 'min', 's');
  if (ms < DAY - MINUTE / 2) return twoUnits(Math.round(ms / MINUTE), 60, 'h', 'min');
  return twoUnits(Math.round(ms / HOUR), 24, 'd', 'h');
}

function twoUnits(smalls: number, perLarge: number, large: string, small: string): string {
  const rest = smalls % perLarge;
  const first = `${Math.floor(smalls / perLarge)} ${large}`;
  return rest === 0 ? first : `${first} ${rest} ${small}`;
}

/** `just now`, `5 minutes ago`, `in 3 hours`, `2 days ago`: the largest whole unit. */
export function age(date: Date, now: Date): string {
  const ms = now.getTime() - date.getTime();
  const amount = Math.abs(ms);
  if (amount < MINUTE) return 'just now';
  const words = inWords(amount);
  return ms > 0 ? `${words} ago` : `in ${words}`;
}

/** `14:05` in local time, and on another day `Sep 4 14:05`. */
export function clock(date: Date, now: Date): string {
  const time = date.toTimeString().slice(0, 5);
  if (date.toDateString() === now.toDateString()) return time;
  return `${date.toLocaleDateString('en', { month: 'short', day: 'numeric' })} ${time}`;
}

function inWords(ms: number): string {
  if (ms < HOUR) return plural(Math.floor(ms / MINUTE), 'minute');
  if (ms < DAY) return plural(Math.floor(ms / HOUR), 'hour');
  return plural(Math.floor(ms / DAY), 'day');
}

/** The local day, `2026-01-31`. */
export const dayOf = (now: Date): string =>
  new Date(now.getTime() - now.getTimezoneOffset() * MINUTE).toISOString().slice(0, 10);
