/**
 * What a working tree has besides its commit: untracked files and changes that are not committed. A test that
 * passes there may need them, so its pass proves nothing for a commit that lacks them.
 */
import { REGISTRY_FILE } from '../base/config/feature.ts';
import type { RepositorySnapshot, StatusEntry } from '../base/git/repository-snapshot.ts';
import type { TreeEntry } from '../base/git/tree-entry.ts';
import { treeAt } from '../base/git/tree-objects.ts';
import type { Evidence } from '../store/evidence.ts';
import { loadTree, type Subject } from './comparison.ts';
import type { FeatureContent } from './fingerprint.ts';
import { countsFor, isLeftBehind } from './never-counts.ts';
import type { Workspace } from './workspace.ts';

/** The paths, each with what the commit has there; an empty oid where it has nothing. */
export async function besidesOf(
  { git }: Workspace,
  snapshot: RepositorySnapshot,
): Promise<TreeEntry[]> {
  if (git === undefined) return [];
  const { head, changes } = await snapshot.status();
  const paths = changes.filter(mayMatter).map(({ path }) => path);
  const committed = head === undefined ? [] : await treeAt(git, head, paths);
  const entries = new Map(committed.map((it) => [it.path, it]));
  return paths.map((path) => entries.get(path) ?? { mode: '', oid: '', path });
}

/** The fingerprint covers how features are defined. */
const mayMatter = ({ path, untracked }: StatusEntry): boolean =>
  path !== REGISTRY_FILE && countsFor(path) && !(untracked && isLeftBehind(path));

/** Whether a tree lacks what some working tree had besides: it has there what the commit had, without the change. */
export async function lackingIn(
  workspace: Workspace,
  subject: Subject,
  besides: readonly TreeEntry[],
  snapshot: RepositorySnapshot,
): Promise<(entry: TreeEntry) => boolean> {
  if (subject.kind === 'worktree' || besides.length === 0) return () => false;
  const paths = [...new Set(besides.map(({ path }) => path))];
  const tree = await loadTree(workspace, subject, { paths, smoke: [] }, snapshot);
  const entries = new Map(tree.map((it) => [it.path, it]));
  return ({ path, mode, oid }) => {
    const there = entries.get(path);
    return (there?.oid ?? '') === oid && (there?.mode ?? '') === mode;
  };
}

/** What a record about a content passed with, outside of that content, and a tree lacks. */
export async function lackedBy(
  workspace: Workspace,
  subject: Subject,
  records: readonly Evidence[],
  snapshot: RepositorySnapshot,
): Promise<(record: Evidence, content: Pick<FeatureContent, 'has'>) => string[]> {
  const besides = new Map(records.map((it) => [it, it.besides]));
  const lacks = await lackingIn(workspace, subject, [...besides.values()].flat(), snapshot);
  return (record, { has }) =>
    (besides.get(record) ?? []).flatMap((it) => (lacks(it) && !has(it.path) ? it.path : []));
}
