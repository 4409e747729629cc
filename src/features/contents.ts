/**
 * The content of features in a tree. Content in a commit never changes, so its fingerprint is kept,
 * and it also serves for the working tree if git sees no change.
 */
import { boundedCache } from '../base/bounded-cache.ts';
import type { Feature } from '../base/config/feature.ts';
import { isOid, type TreeEntry, withinAny } from '../base/git/tree-entry.ts';
import { once } from '../base/once.ts';
import { mapInTurns } from '../base/turns.ts';
import { type Look, loadTree, type Subject } from './comparison.ts';
import type { FeatureContent, Fingerprint } from './fingerprint.ts';
import { outermost } from './match.ts';
import { countsFor } from './never-counts.ts';
import { mayHoldRecipe, mayNameRecipe } from './recipe-files.ts';

export interface Content {
  readonly fingerprint: Fingerprint;
  entries(): Promise<readonly TreeEntry[]>;
}

/** The contents, in the order of the features. */
export async function contentsIn(
  look: Look,
  subject: Subject,
  features: readonly FeatureContent[],
): Promise<Content[]> {
  const { head, unchanged } = await committedIn(look, subject, features);
  const changed = features.filter((it) => !unchanged.has(it));
  const treeOf = (source: Subject, some: readonly FeatureContent[]) => {
    const paths = outermost(some.flatMap(({ bases }) => bases));
    const smoke = some.flatMap((it) => it.smoke);
    return once(() => loadTree(look, source, { paths, smoke }));
  };
  const atHand = treeOf(subject, changed);
  const atCommit = treeOf({ kind: 'revision', oid: head }, [...unchanged]);
  return mapInTurns(features, async (feature) => {
    const isCommitted = unchanged.has(feature);
    const entries = once(async () => feature.entriesIn(await (isCommitted ? atCommit : atHand)()));
    const key = isCommitted && isOid(head) ? `${head} ${feature.key}` : undefined;
    const known = key === undefined ? undefined : fingerprints.find(key);
    const fingerprint = known ?? feature.fingerprint(await entries());
    if (key !== undefined && known === undefined) fingerprints.keep(key, fingerprint);
    return { fingerprint, entries };
  });
}

/** The fingerprint by the id of a commit and the definition of a feature, neither of which changes. */
const fingerprints = boundedCache<Fingerprint>(16 * 1024 * 1024, ({ length }) => length);

/** The features whose content is that of a commit; `head` is empty if there is none. */
async function committedIn(
  { git, snapshot }: Look,
  subject: Subject,
  features: readonly FeatureContent[],
): Promise<{ readonly head: string; readonly unchanged: ReadonlySet<FeatureContent> }> {
  if (subject.kind === 'revision') return { head: subject.oid, unchanged: new Set(features) };
  const none = { head: '', unchanged: new Set<FeatureContent>() };
  if (git === undefined || subject.kind === 'commit') return none;
  const [{ head, changes }, hidden] = await Promise.all([snapshot.status(), snapshot.hidden()]);
  if (head === undefined || hidden.length > 0) return none;
  const paths = changes.map(({ path }) => path);
  const mayDiffer = mayDifferBy(paths);
  const unchanged = features.filter((it) => {
    const isIn = withinAny(it.bases);
    return (
      !mayDiffer(it, it.bases.includes('')) && !paths.some((path) => isIn(path) && it.has(path))
    );
  });
  return { head, unchanged: new Set(unchanged) };
}

/** Whether changes may affect a content without being among its files: through a recipe, or a link's target. */
export function mayDifferBy(changed: readonly string[]) {
  const [mayHold, isOther] = [changed.some(mayHoldRecipe), !changed.every(countsFor)];
  return ({ smoke }: Pick<Feature, 'smoke'>, hasRest: boolean): boolean =>
    (isOther && hasRest) || (mayHold && smoke.some(({ command }) => mayNameRecipe(command)));
}
