/**
 * What features are made of in a tree. Their content in a commit never changes, so that its fingerprint is
 * kept; and the working tree has it, too, wherever git sees no change.
 */
import { boundedCache } from '../base/bounded-cache.ts';
import { type RepositorySnapshot, snapshotOf } from '../base/git/repository-snapshot.ts';
import { isOid, type TreeEntry, withinAny } from '../base/git/tree-entry.ts';
import { mapInTurns } from '../base/turns.ts';
import { loadTree, type Subject, type TreePart } from './comparison.ts';
import type { FeatureContent, Fingerprint } from './fingerprint.ts';
import { outermost } from './match.ts';
import { countsFor } from './never-counts.ts';
import { mayHoldRecipe, mayNameRecipe } from './recipe-files.ts';
import type { Workspace } from './workspace.ts';

export interface Content {
  readonly fingerprint: Fingerprint;
  entries(): Promise<readonly TreeEntry[]>;
}

/** The contents, in the order of the features. */
export async function contentsIn(
  workspace: Workspace,
  subject: Subject,
  features: readonly FeatureContent[],
  snapshot: RepositorySnapshot = snapshotOf(workspace.git),
): Promise<Content[]> {
  const committed = await committedIn(workspace, subject, features, snapshot);
  const isCommitted = (it: FeatureContent) => committed?.features.has(it) === true;
  const others = features.filter((it) => !isCommitted(it));
  const [atCommit, atHand] = await Promise.all([
    committed === undefined ? new Map() : committedContents(workspace, committed, snapshot),
    presentContents(workspace, subject, others, snapshot),
  ]);
  return features.map((it) => (atCommit.get(it) ?? atHand.get(it)) as Content);
}

/** The features whose content is that of a commit. */
async function committedIn(
  { git }: Workspace,
  subject: Subject,
  features: readonly FeatureContent[],
  snapshot: RepositorySnapshot,
) {
  if (subject.kind === 'revision') return { oid: subject.oid, features: new Set(features) };
  if (git === undefined || subject.kind === 'commit') return undefined;
  const [{ head, changes }, isHiding] = await Promise.all([
    snapshot.status(),
    snapshot.hidesChanges(),
  ]);
  if (head === undefined || isHiding) return undefined;
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
  workspace: Workspace,
  { oid, features }: { readonly oid: string; readonly features: ReadonlySet<FeatureContent> },
  snapshot: RepositorySnapshot,
): Promise<Map<FeatureContent, Content>> {
  const keyOf = ({ definitions, leftToOthers }: FeatureContent) =>
    `${oid} ${leftToOthers} ${definitions}`;
  const tree = once(() => treeOf(workspace, { kind: 'revision', oid }, [...features], snapshot));
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
  workspace: Workspace,
  subject: Subject,
  features: readonly FeatureContent[],
  snapshot: RepositorySnapshot,
): Promise<Map<FeatureContent, Content>> {
  const tree = await treeOf(workspace, subject, features, snapshot);
  const contents = await mapInTurns(features, (feature) => {
    const entries = feature.entriesIn(tree);
    const fingerprint = feature.fingerprint(entries);
    return [feature, { fingerprint, entries: async () => entries }] as const;
  });
  return new Map(contents);
}

function treeOf(
  workspace: Workspace,
  subject: Subject,
  features: readonly FeatureContent[],
  snapshot: RepositorySnapshot,
): Promise<readonly TreeEntry[]> {
  return loadTree(workspace, subject, partOf(features), snapshot);
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
