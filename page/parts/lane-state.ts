/** The states of lanes as the page groups them. Pure. */
import { SIGNS, BANDS as UNATTENDED } from '../../src/fronts/words/signs.ts';
import type { LaneTile } from '../types.ts';
import { plural } from './text.tsx';

type Shown = Pick<LaneTile, 'state' | 'flags' | 'rivals' | 'parked'>;

const TONES = ['move', 'calm', 'good'] as const;

/** The bands of the board: lanes that somebody has to see to, then the others as the terminal has them. */
export const BANDS = [
  { title: 'Waits for you', tone: 'need' },
  ...UNATTENDED.map(({ name }, at) => ({ title: name, tone: TONES[at] ?? 'calm' })),
] as const;

/** The place of its band; `null` for a cancelled lane, which is in none. */
export function bandOf(lane: Shown): number | null {
  const state = shownState(lane);
  if (state === 'cancelled') return null;
  if (state === 'parked' && lane.parked?.until == null) return 0;
  return UNATTENDED.findIndex(({ states }) => (states as readonly string[]).includes(state)) + 1;
}

export const waitsForYou = (lane: Shown): boolean => bandOf(lane) === 0;

const ORDER = Object.keys(SIGNS);

/** In the order of the board. */
export function orderOf(lane: Shown): number {
  return (bandOf(lane) ?? BANDS.length) * ORDER.length + ORDER.indexOf(shownState(lane));
}

/** What it is for a person: verified work may have to be looked at, or be one of several to pick from. */
export function shownState({ state, flags, rivals }: Omit<Shown, 'parked'>): string {
  if (state !== 'verified') return state;
  if (flags.some(({ stops }) => stops)) return 'look';
  return rivals.length > 0 ? 'pick' : state;
}

/** More lanes than this are shown with a line less each. */
const MOST_AT_EASE = 12;

export const isDense = (lanes: readonly unknown[]): boolean => lanes.length > MOST_AT_EASE;

/** `2 tests are gone: …, accepted by ada` */
export function flagWords({ kind, data, acceptedBy }: LaneTile['flags'][number]): string {
  const isGone = kind === 'tests_removed';
  const what = isGone
    ? `${plural(data.length, 'test is', 'tests are')} gone`
    : kind.replaceAll(/[-_]/g, ' ');
  const by = acceptedBy === null ? '' : `, accepted by ${acceptedBy}`;
  return `${what}${data.length > 0 ? `: ${data.join(', ')}` : ''}${by}`;
}
