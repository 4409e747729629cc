/** What is killed: each process alone, pairs, all of them, and a supervisor without a command that looks afterwards. */
import type { Kill } from './kill-round.ts';

const TARGETS: readonly Pick<Kill, 'targets' | 'next'>[] = [
  { targets: ['worker'], next: 'look' },
  { targets: ['guard'], next: 'look' },
  { targets: ['supervisor'], next: 'look' },
  { targets: ['supervisor'], next: 'later' },
  { targets: ['guard', 'worker'], next: 'look' },
  { targets: ['supervisor', 'worker'], next: 'look' },
  { targets: ['supervisor', 'guard'], next: 'look' },
  { targets: ['supervisor', 'guard'], next: 'later' },
  { targets: ['supervisor', 'guard', 'worker'], next: 'look' },
];

/** While the worker works, as soon as all are there, and until the lane has been judged. */
const WINDOWS_MS = [1_500, 300, 3_000] as const;

/** A round of each. Seeds of two rounds are never the same. */
export function roundOf(round: number, firstSeed: number): { seed: number; killed: Kill }[] {
  const withinMs = WINDOWS_MS[round % WINDOWS_MS.length] ?? 0;
  return TARGETS.map((it, index) => ({
    seed: firstSeed + round * TARGETS.length + index,
    killed: { ...it, withinMs },
  }));
}
