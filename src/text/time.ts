import { plural } from './count.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`, `3 d 4 h`: two units at most. */
export function duration(ms: number): string {
  if (ms < 10 * SECOND) return `${Math.round(Math.max(ms, 0) / 100) / 10} s`;
  if (ms < MINUTE - SECOND / 2) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR - SECOND / 2) return twoUnits(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY - MINUTE / 2) return twoUnits(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const smalls = Math.round(ms / small);
  const perLarge = large / small;
  const rest = smalls % perLarge;
  const first = `${Math.floor(smalls / perLarge)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** `just now`, `5 minutes ago`, `in 3 hours`, `2 days ago`: the largest whole unit. */
export function age(date: Date, now: Date): string {
  const ms = now.getTime() - date.getTime();
  const amount = Math.abs(ms);
  if (amount < MINUTE) return 'just now';
  const words = inWords(amount);
  return ms > 0 ? `${words} ago` : `in ${words}`;
}

function inWords(ms: number): string {
  if (ms < HOUR) return plural(Math.floor(ms / MINUTE), 'minute');
  if (ms < DAY) return plural(Math.floor(ms / HOUR), 'hour');
  return plural(Math.floor(ms / DAY), 'day');
}
