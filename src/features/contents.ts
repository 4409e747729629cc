/**
 * What features are made of in a tree. Their content in a commit never changes, so that its fingerprint is
 * kept; and the working tree has it, too, wherever git sees no change.
 */
import { boundedCache } from '../base/bounded-cache.ts';
import { isOid, type TreeEntry, withinAny } from '../base/git/tree-entry.ts';
import { mapInTurns } from '../base/turns.ts';
import { type Look, loadTree, type Subject, type TreePart } from './comparison.ts';
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
  const committed = await committedIn(look, subject, features);
  const isCommitted = (it: FeatureContent) => committed?.features.has(it) === true;
  const others = features.filter((it) => !isCommitted(it));
  const [atCommit, atHand] = await Promise.all([
    committed === undefined ? new Map() : committedContents(look, committed),
    presentContents(look, subject, others),
  ]);
  return features.map((it) => (atCommit.get(it) ?? atHand.get(it)) as Content);
}

/** The features whose content is that of a commit. */
async function committedIn(
  { git, snapshot }: Look,
  subject: Subject,
  features: readonly FeatureContent[],
) {
  if (subject.kind === 'revision') return { oid: subject.oid, features: new Set(features) };
  if (git === undefined || subject.kind === 'commit') return undefined;
  const [{ head, changes }, hidden] = await Promise.all([snapshot.status(), snapshot.hidden()]);
  if (head === undefined || hidden.length > 0) return undefined;
  const mayDiffer = changes.some(({ path }) => mayHoldRecipe(path))
    ? ({ command }: { readonly command: string }) => mayNameRecipe(command)
    : () => false;
  const isOther = changes.some(({ path }) => !countsFor(path));
  const unchanged = features.filter(({ bases, smoke, has }) => {
    const isIn = withinAny(bases);
    if (isOther && bases.includes('')) return false;
    return !smoke.some(mayDiffer) && !changes.some(({ path }) => isIn(path) && has(path));
  });
  return { oid: head, features: new Set(unchanged) };
}

async function committedContents(
  look: Look,
  { oid, features }: { readonly oid: string; readonly features: ReadonlySet<FeatureContent> },
): Promise<Map<FeatureContent, Content>> {
  const keyOf = ({ definitions, leftToOthers }: FeatureContent) =>
    `${oid} ${leftToOthers} ${definitions}`;
  const tree = once(() => treeOf(look, { kind: 'revision', oid }, [...features]));
  const contents = await mapInTurns(features, async (feature) => {
    const entries = once(async () => feature.entriesIn(await tree()));
    const known = fingerprints.find(keyOf(feature));
    const fingerprint = known ?? feature.fingerprint(await entries());
    if (known === undefined && isOid(oid)) fingerprints.keep(keyOf(feature), fingerprint);
    return [feature, { fingerprint, entries }] as const;
  });
  return new Map(contents);
}

/** By the id of a commit and the definitions of a feature, neither of which changes. */
const fingerprints = boundedCache<Fingerprint>(16 * 1024 * 1024, ({ length }) => length);

async function presentContents(
  look: Look,
  subject: Subject,
  features: readonly FeatureContent[],
): Promise<Map<FeatureContent, Content>> {
  const tree = await treeOf(look, subject, features);
  const contents = await mapInTurns(features, (feature) => {
    const entries = feature.entriesIn(tree);
    const fingerprint = feature.fingerprint(entries);
    return [feature, { fingerprint, entries: async () => entries }] as const;
  });
  return new Map(contents);
}

function treeOf(
  look: Look,
  subject: Subject,
  features: readonly FeatureContent[],
): Promise<readonly TreeEntry[]> {
  return loadTree(look, subject, partOf(features));
}

/** The paths and smoke tests of a tree that features are made of. */
export function partOf(features: readonly FeatureContent[]): TreePart {
  return {
    paths: outermost(features.flatMap(({ bases }) => bases)),
    smoke: features.flatMap(({ smoke }) => smoke),
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
