/**
 * What waits for a person and the states of lanes in a word, a tone and a sign, for every front; pure, for the page
 * as well. In the order of a board: first who needs somebody, then what is at work, not begun, and proven.
 */
import type { NeedKind } from '../../lanes/look/needs.ts';
import type { LaneState } from '../../store/lanes.ts';

export type Tone = 'need' | 'bad' | 'move' | 'good' | 'calm';

/** Whose colour of the painter each tone has. */
export const TONES = {
  need: 'warn',
  bad: 'bad',
  move: 'hint',
  good: 'good',
  calm: 'faint',
} as const satisfies Readonly<Record<Tone, string>>;

interface Sign {
  readonly word: string;
  /** Where there are few columns, if it is another word. */
  readonly short?: string;
  readonly tone: Tone;
  /** One column wide. */
  readonly glyph: string;
  /** In ASCII. */
  readonly plain: string;
}

export type SignName = NeedKind | LaneState;

const sign = (
  word: string,
  tone: Tone,
  [glyph = '', plain = '']: string,
  short?: string,
): Sign => ({
  ...{ word, tone, glyph, plain },
  ...(short === undefined ? {} : { short }),
});

export const SIGNS: Readonly<Record<SignName, Sign>> = {
  asks: sign('asks', 'need', '??'),
  look: sign('to be looked at', 'need', '!!', 'to look at'),
  pick: sign('to be picked', 'need', '!!', 'to pick'),
  held: sign('push held', 'need', '▌|'),
  conflict: sign('conflict', 'bad', '≠Y'),
  culprit: sign('culprit', 'bad', '✗x'),
  failed: sign('failed', 'bad', '✗x'),
  untested: sign('untested', 'need', '◑-'),
  blocked: sign('blocked', 'need', '⊖-'),
  parked: sign('parked', 'need', '⊖-'),
  stale: sign('stale', 'need', '◑-'),
  'taken-back': sign('taken back', 'need', '◑-'),
  baseless: sign('proves nothing', 'need', '◑-', 'no proof'),
  unguarded: sign('unguarded', 'bad', '✗x'),
  account: sign('used up', 'need', '⊖-'),
  proposals: sign('to be decided', 'need', '??', 'to decide'),
  suggestions: sign('to be decided', 'need', '??', 'to decide'),
  starting: sign('starting', 'move', '●*'),
  running: sign('running', 'move', '●*'),
  validating: sign('validating', 'move', '◌~'),
  integrating: sign('integrating', 'move', '◌~'),
  planned: sign('planned', 'calm', '·.'),
  ready: sign('ready', 'calm', '·.'),
  waiting: sign('waiting', 'calm', '·.'),
  verified: sign('verified', 'good', '✓+'),
  integrated: sign('integrated', 'good', '≡='),
  landed: sign('landed', 'good', '✔v'),
  cancelled: sign('cancelled', 'calm', '·.'),
};

/** Where on a board a lane stands that nobody has to see to. A cancelled one is left out. */
export const BANDS = [
  { name: 'At work', states: ['starting', 'running', 'validating', 'integrating', 'parked'] },
  { name: 'Not begun', states: ['planned', 'ready', 'waiting'] },
  { name: 'Proven', states: ['verified', 'integrated', 'landed'] },
] as const satisfies readonly { readonly name: string; readonly states: readonly LaneState[] }[];
