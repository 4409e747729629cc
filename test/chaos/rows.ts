/** Who is killed: every part alone, every pair, all of them, and a supervisor that nobody misses. */
import type { Blow } from './kill-round.ts';

const VICTIMS: readonly Pick<Blow, 'victims' | 'next'>[] = [
  { victims: ['worker'], next: 'look' },
  { victims: ['guard'], next: 'look' },
  { victims: ['supervisor'], next: 'look' },
  { victims: ['supervisor'], next: 'later' },
  { victims: ['guard', 'worker'], next: 'look' },
  { victims: ['supervisor', 'worker'], next: 'look' },
  { victims: ['supervisor', 'guard'], next: 'look' },
  { victims: ['supervisor', 'guard'], next: 'later' },
  { victims: ['supervisor', 'guard', 'worker'], next: 'look' },
];

/** While the worker works, as soon as all are there, and until the lane has been judged. */
const WINDOWS_MS = [1_500, 300, 3_000] as const;

/** A round of each. Seeds of two rounds are never the same. */
export function roundOf(round: number, firstSeed: number): { seed: number; blow: Blow }[] {
  const withinMs = WINDOWS_MS[round % WINDOWS_MS.length] ?? 0;
  return VICTIMS.map((it, index) => ({
    seed: firstSeed + round * VICTIMS.length + index,
    blow: { ...it, withinMs },
  }));
}
