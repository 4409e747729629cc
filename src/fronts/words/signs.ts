/**
 * The word, tone and sign of each need of a person and each state of a lane, for all interfaces; pure, for the page as
 * well. In the order of a board: lanes that need somebody, then those in progress, not begun, and proven.
 */
import type { NeedKind } from '../../lanes/look/needs.ts';
import type { LaneState } from '../../store/lanes.ts';

export type Tone = 'need' | 'bad' | 'move' | 'good' | 'calm';

export const TONES = {
  need: 'warn',
  bad: 'bad',
  move: 'hint',
  good: 'good',
  calm: 'faint',
} as const satisfies Readonly<Record<Tone, string>>;

interface Sign {
  readonly word: string;
  /** The word for narrow terminals, if it differs. */
  readonly short?: string;
  readonly tone: Tone;
  /** A character of one column. */
  readonly glyph: string;
  /** The same in ASCII. */
  readonly plain: string;
}

export type SignName = NeedKind | LaneState;

export const SIGNS: Readonly<Record<SignName, Sign>> = {
  asks: { word: 'asks', tone: 'need', glyph: '?', plain: '?' },
  look: { word: 'to be looked at', short: 'to look at', tone: 'need', glyph: '!', plain: '!' },
  pick: { word: 'to be picked', short: 'to pick', tone: 'need', glyph: '!', plain: '!' },
  held: { word: 'push held', tone: 'need', glyph: '▌', plain: '|' },
  conflict: { word: 'conflict', tone: 'bad', glyph: '≠', plain: 'Y' },
  culprit: { word: 'culprit', tone: 'bad', glyph: '✗', plain: 'x' },
  failed: { word: 'failed', tone: 'bad', glyph: '✗', plain: 'x' },
  untested: { word: 'untested', tone: 'need', glyph: '◑', plain: '-' },
  blocked: { word: 'blocked', tone: 'need', glyph: '⊖', plain: '-' },
  parked: { word: 'parked', tone: 'need', glyph: '⊖', plain: '-' },
  stale: { word: 'stale', tone: 'need', glyph: '◑', plain: '-' },
  'taken-back': { word: 'taken back', tone: 'need', glyph: '◑', plain: '-' },
  baseless: { word: 'proves nothing', short: 'no proof', tone: 'need', glyph: '◑', plain: '-' },
  next: { word: 'next step', tone: 'need', glyph: '!', plain: '!' },
  unguarded: { word: 'unguarded', tone: 'bad', glyph: '✗', plain: 'x' },
  account: { word: 'used up', tone: 'need', glyph: '⊖', plain: '-' },
  proposals: { word: 'to be decided', short: 'to decide', tone: 'need', glyph: '?', plain: '?' },
  suggestions: { word: 'to be decided', short: 'to decide', tone: 'need', glyph: '?', plain: '?' },
  starting: { word: 'starting', tone: 'move', glyph: '●', plain: '*' },
  running: { word: 'running', tone: 'move', glyph: '●', plain: '*' },
  validating: { word: 'validating', tone: 'move', glyph: '◌', plain: '~' },
  integrating: { word: 'integrating', tone: 'move', glyph: '◌', plain: '~' },
  planned: { word: 'planned', tone: 'calm', glyph: '·', plain: '.' },
  ready: { word: 'ready', tone: 'calm', glyph: '·', plain: '.' },
  waiting: { word: 'waiting', tone: 'calm', glyph: '·', plain: '.' },
  verified: { word: 'verified', tone: 'good', glyph: '✓', plain: '+' },
  integrated: { word: 'integrated', tone: 'good', glyph: '≡', plain: '=' },
  landed: { word: 'landed', tone: 'good', glyph: '✔', plain: 'v' },
  cancelled: { word: 'cancelled', tone: 'calm', glyph: '·', plain: '.' },
};

/** @param tries the number of attempts of a lane. */
export const needWord = (kind: NeedKind, tries: number): string =>
  kind === 'failed' && tries > 1 ? `attempt ${tries} failed` : SIGNS[kind].word;

/** The sections of a board for lanes that need nobody. Cancelled lanes are left out. */
export const BANDS = [
  { name: 'At work', states: ['starting', 'running', 'validating', 'integrating', 'parked'] },
  { name: 'Not begun', states: ['planned', 'ready', 'waiting'] },
  { name: 'Proven', states: ['verified', 'integrated', 'landed'] },
] as const satisfies readonly { readonly name: string; readonly states: readonly LaneState[] }[];
