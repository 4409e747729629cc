/** A wall clock that a test can set, for all Node programs of a project; the monotonic one goes on. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const PRELOAD = resolve(import.meta.dirname, '../fixtures/moved-clock.cjs');

export const DAY_MS = 86_400_000;

export interface MovedClock {
  /** For the project that is to go by it. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets it to so many days ahead of the real one, or behind it. */
  set(days: number): void;
}

export function movedClock(days = 0): MovedClock {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-clock-'));
  const file = join(folder, 'offset');
  const set = (to: number): void => {
    writeFileSync(`${file}.new`, String(to * DAY_MS));
    renameSync(`${file}.new`, file);
  };
  set(days);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { env: { NODE_OPTIONS: `--require "${PRELOAD}"`, MOVED_CLOCK: file }, set };
}
