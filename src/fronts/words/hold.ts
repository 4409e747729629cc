/** How a hold is said, for every front; pure, for the page as well. */
import { plural } from '../../base/text/count.ts';

/** @param branch what would be pushed, if that has a name. */
export function wouldHold(held: number, features: number, branch: string | null): string {
  const would = branch === null ? 'would be held' : `would hold a push of ${branch}`;
  // Not all have to be verified for that: the push changes some, or none.
  if (held === 0) return `No feature ${would}`;
  return `${held} of ${plural(features, 'feature')} ${would}`;
}

/** Of pushes that were refused and have not gone through since. */
export const pushesHeld = (pushes: number): string =>
  `${pushes} ${pushes === 1 ? 'push' : 'pushes'} held`;

/** Why a feature is held, beside its name. */
export const whyAlone = (why: string, feature: string): string =>
  why.startsWith(`${feature}: `) ? why.slice(feature.length + 2) : why;
