import { printableLine } from './printable.ts';

/** `1 file`, `3 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a, b, c and 4 more`, on one line whatever the items are. */
export function enumerated(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).map((item) => printableLine(item));
  const more = items.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

/** `950`, `340K`, `1.2M`. */
export function compactCount(count: number): string {
  return count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}
