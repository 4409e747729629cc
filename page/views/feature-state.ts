/** How the state of a feature is drawn and said. */
import type { HoldView } from '../../src/app/view/hold.ts';

/** Of a feature for one tree; `held`: why it would not leave. */
export type TreeState = HoldView['features'][number]['states'][number];

const WORDS = {
  verified: 'verified',
  attested: 'attested',
  waived: 'waived',
  failed: 'failed',
  'not-verified': 'not verified',
} satisfies Record<TreeState['state'], string>;

const GLYPHS = {
  verified: 'verified',
  attested: 'passed',
  waived: 'stale',
  failed: 'failed',
  'not-verified': 'unknown',
} satisfies Record<TreeState['state'], string>;

export const glyphOf = ({ state, held }: TreeState): string =>
  held === null ? GLYPHS[state] : 'held';

export const stateWord = ({ tree, state, held }: TreeState): string =>
  held === null ? WORDS[state] : isPush(tree) ? 'held' : 'would be held';

/** Of what nobody has pushed yet, nothing was refused. */
const isPush = (tree: string): boolean => tree !== 'worktree' && tree !== 'HEAD';
