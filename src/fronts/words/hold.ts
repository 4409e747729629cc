/** The words about holds, for all interfaces; pure, for the page as well. */
import { plural } from '../../base/text/printable.ts';

/** @param branch the branch that would be pushed, if it has a name. */
export function wouldHold(held: number, features: number, branch: string | null): string {
  const would = branch === null ? 'would be held' : `would hold a push of ${branch}`;
  // Not all have to be verified for that: the push changes some, or none.
  if (held === 0) return `No feature ${would}`;
  return `${held} of ${plural(features, 'feature')} ${would}`;
}

/** About pushes that were refused and have not succeeded since. */
export const pushesHeld = (pushes: number): string =>
  `${pushes} ${pushes === 1 ? 'push' : 'pushes'} held`;

export const whyAlone = (why: string, feature: string): string =>
  why.startsWith(`${feature}: `) ? why.slice(feature.length + 2) : why;
