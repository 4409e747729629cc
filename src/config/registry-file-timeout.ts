/** How a `lanehold.json` writes the time limit of a smoke test: `90s`, `5m`, `2h`, or seconds. */

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1000 } as const;
type Unit = keyof typeof UNIT_MS;

/** Longer than any smoke test deserves, and within what a timer can hold. */
export const MAX_TIMEOUT_MS = 24 * UNIT_MS.h;

export const TIMEOUT = /^([1-9][0-9]{0,5})([smh])$/;

/** The time limit in milliseconds, or `undefined` for text that is no time limit. */
export function parseTimeout(written: string | number): number | undefined {
  const timeoutMs = typeof written === 'number' ? Math.round(written * 1000) : read(written);
  return timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS ? timeoutMs : undefined;
}

function read(written: string): number {
  const [, amount, unit] = TIMEOUT.exec(written) ?? [];
  return amount === undefined ? Number.NaN : Number(amount) * UNIT_MS[unit as Unit];
}

/** The shortest way to write a time limit that `parseTimeout` reads back as the same. */
export function formatTimeout(timeoutMs: number): string | number {
  for (const [unit, unitMs] of Object.entries(UNIT_MS)) {
    if (timeoutMs % unitMs === 0) return `${timeoutMs / unitMs}${unit}`;
  }
  return timeoutMs / 1000;
}

const AGE_UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** How long evidence counts: `90m`, `24h`, `7d`, `4w`. */
export const AGE = /^([1-9][0-9]{0,3})([mhdw])$/;

/** In milliseconds; of text that is no age, `undefined`. */
export function parseAge(written: string): number | undefined {
  const [, amount, unit] = AGE.exec(written) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * AGE_UNIT_MS[unit as keyof typeof AGE_UNIT_MS];
}

/** The shortest way to write an age that `parseAge` reads back as the same. */
export function formatAge(ageMs: number): string {
  const units = Object.entries(AGE_UNIT_MS).toReversed();
  const [unit, unitMs] = units.find(([, it]) => ageMs % it === 0) ?? ['m', AGE_UNIT_MS.m];
  return `${ageMs / unitMs}${unit}`;
}
