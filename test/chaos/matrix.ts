/** What is killed, who looks next, and what a lane that was in the middle of its work comes to. */
import type { Part } from '../support/attempt-processes.ts';
import type { Kill } from './kill-round.ts';

/** The lane is verified; with these facts. */
interface AfterMiddle {
  readonly workers: number;
  readonly epoch: number;
  /** Files of its commit. */
  readonly holds: readonly string[];
}

interface Row {
  readonly targets: readonly Part[];
  /** Who looks after the kill: somebody at once, or nobody until whoever is left has ended. */
  readonly next: Kill['next'];
  /** Missing where nobody could tell when the worker has ended. */
  readonly middle?: AfterMiddle;
  /** The moments that `npm test` plays; `npm run test:chaos` plays all rows at all of them. */
  readonly short?: 'middle' | 'any' | 'both';
}

const HALF = ['half.txt'];
const WHOLE = ['half.txt', 'whole.txt'];

export const MATRIX: readonly Row[] = [
  { targets: ['worker'], next: 'look', middle: { workers: 1, epoch: 1, holds: HALF } },
  {
    targets: ['guard'],
    next: 'look',
    middle: { workers: 1, epoch: 1, holds: HALF },
    short: 'middle',
  },
  { targets: ['supervisor'], next: 'look', middle: { workers: 1, epoch: 2, holds: WHOLE } },
  {
    targets: ['supervisor'],
    next: 'later',
    middle: { workers: 1, epoch: 2, holds: WHOLE },
    short: 'both',
  },
  { targets: ['guard', 'worker'], next: 'look', middle: { workers: 1, epoch: 1, holds: HALF } },
  {
    targets: ['supervisor', 'worker'],
    next: 'look',
    middle: { workers: 1, epoch: 2, holds: HALF },
    short: 'middle',
  },
  // The exit code is lost with both: the worker is waited for, and judged by what it has done.
  {
    targets: ['supervisor', 'guard'],
    next: 'look',
    middle: { workers: 1, epoch: 2, holds: WHOLE },
    short: 'any',
  },
  { targets: ['supervisor', 'guard'], next: 'later' },
  {
    targets: ['supervisor', 'guard', 'worker'],
    next: 'look',
    middle: { workers: 2, epoch: 1, holds: WHOLE },
    short: 'any',
  },
];

/** While the worker works, as soon as all are there, and until the lane has been judged. */
const WINDOWS_MS = [1_500, 300, 3_000] as const;

/** Each row at a moment of its own. Seeds of two rounds are never the same. */
export function roundOf(
  round: number,
  firstSeed: number,
): { seed: number; killed: Kill; row: Row }[] {
  const withinMs = WINDOWS_MS[round % WINDOWS_MS.length] ?? 0;
  return MATRIX.map((row, index) => ({
    seed: firstSeed + round * MATRIX.length + index,
    killed: { targets: row.targets, next: row.next, withinMs },
    row,
  }));
}
