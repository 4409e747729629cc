/**
 * Text of unknown origin (a file name, a line of output), made fit to stand inside one of our own
 * lines: no control characters, no line breaks, no invisible direction marks, not too long.
 */
export function printable(text: string, maxChars = 120): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, (it) =>
    JSON.stringify(it)
      .slice(1, -1)
      .replace(/[^\\ -~]/gu, '\uFFFD'),
  );
  if (clean.length <= maxChars) return clean;
  const half = Math.floor((maxChars - 1) / 2);
  return `${clean.slice(0, half)}…${clean.slice(clean.length - half)}`;
}

/** `a, b, c and 4 more`. */
export function enumerated(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).map((item) => printable(item));
  const more = items.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `3 hours ago`; `just now` below a minute. */
export function ago(then: Date, now: Date): string {
  const ms = now.getTime() - then.getTime();
  const unit = UNITS.find(([, size]) => ms >= size);
  if (unit === undefined) return 'just now';
  const count = Math.floor(ms / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? '' : 's'} ago`;
}
