/** The states of lanes as the page groups them. Pure. */
import type { LaneTile } from '../types.ts';

/** The four bands of the board, with the states in the order of their columns. */
export const BANDS = [
  {
    title: 'Waits for you',
    tone: 'need',
    states: [
      ...['asks', 'look', 'pick', 'failed', 'untested', 'conflict', 'culprit'],
      ...['blocked', 'parked', 'stale', 'taken-back'],
    ],
  },
  { title: 'At work', tone: 'move', states: ['starting', 'running', 'validating', 'integrating'] },
  { title: 'Not begun', tone: 'calm', states: ['planned', 'ready', 'waiting'] },
  { title: 'Proven', tone: 'good', states: ['verified', 'integrated', 'landed'] },
] as const;

const ORDER = BANDS.flatMap(({ states }): readonly string[] => states);

export const orderOf = (state: string): number => {
  const at = ORDER.indexOf(state);
  return at < 0 ? ORDER.length : at;
};

/** What it is for a person: verified work may have to be looked at, or be one of several to pick from. */
export function shownState({
  state,
  flags,
  rivals,
}: Pick<LaneTile, 'state' | 'flags' | 'rivals'>): string {
  if (state !== 'verified') return state;
  if (flags.some(({ stops }) => stops)) return 'look';
  return rivals.length > 0 ? 'pick' : state;
}

export const waitsForYou = (state: string): boolean =>
  (BANDS[0].states as readonly string[]).includes(state);

/** More lanes than this are shown with a line less each. */
const MOST_AT_EASE = 12;

export const isDense = (lanes: readonly unknown[]): boolean => lanes.length > MOST_AT_EASE;
