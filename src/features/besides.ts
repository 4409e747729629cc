/**
 * The files that a working tree has besides its commit: untracked files and uncommitted changes. A
 * test that passes there may need them, so its pass proves nothing for a commit that lacks them.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Feature, REGISTRY_FILE } from '../base/config/feature.ts';
import { isInside } from '../base/files/inside.ts';
import { submodulesOf } from '../base/git/project-files.ts';
import type { StatusEntry } from '../base/git/repository-snapshot.ts';
import { worktreeTree } from '../base/git/tree.ts';
import { LINK, SUBMODULE, type TreeEntry } from '../base/git/tree-entry.ts';
import { treeAt } from '../base/git/tree-objects.ts';
import type { Evidence } from '../store/evidence.ts';
import { type Look, loadTree, type Subject } from './comparison.ts';
import { targetOf } from './linked.ts';
import { countsFor, isLeftBehind } from './never-counts.ts';

/** If there are more changes, they are not listed one by one. No commit has a file named `…`. */
const MOST = 2_000;
const TOO_MUCH: TreeEntry[] = [{ mode: '', oid: '', path: '…' }];

/**
 * The paths, each with its entry in the commit; an empty oid if the commit has none.
 *
 * @param own the entries of the features that are tested.
 */
export async function besidesOf(
  { git, place: { root }, snapshot }: Look,
  own: readonly TreeEntry[],
): Promise<TreeEntry[]> {
  if (git === undefined) return [];
  const { head, changes } = await snapshot.status();
  const seen = changes.filter(mayMatter).map(({ path }) => path);
  const hidden = (await snapshot.hidden()).filter(mayDiffer);
  const committed = head === undefined ? [] : await treeAt(git, head, [...seen, ...hidden]);
  const entries = new Map(committed.map((it) => [it.path, it]));
  const there = await worktreeTree(git, root, hidden, snapshot);
  const present = new Map(there.map((it) => [it.path, it]));
  const isChanged = (path: string) => present.get(path)?.oid !== entries.get(path)?.oid;
  const paths = new Set([...seen, ...hidden.filter(isChanged)]);
  const behind = own.filter((it) => leadsOut(root, it) || isForeign(root, it));
  const changed = [...paths].map((path) => entries.get(path) ?? { mode: '', oid: '', path });
  return changed.length > MOST ? TOO_MUCH : [...changed, ...behind];
}

/** Untracked files that belong to none of these features, except to a rest: a commit hardly takes them. */
export async function strayFiles(
  { git, snapshot }: Look,
  features: readonly {
    readonly feature: Feature;
    readonly entries: () => Promise<readonly TreeEntry[]>;
  }[],
): Promise<string[]> {
  if (git === undefined) return [];
  const proper = features.filter(({ feature }) => !feature.rest);
  const own = (await Promise.all(proper.map((it) => it.entries()))).flat();
  const paths = new Set(own.map(({ path }) => path));
  const { changes } = await snapshot.status();
  const strays = changes.filter((it) => it.untracked && mayMatter(it) && !paths.has(it.path));
  return strays.map(({ path }) => path);
}

/**
 * True for a link that leads out of the tree. Its target does not leave with it, unless it is a
 * folder of the system, which other machines have too.
 */
function leadsOut(root: string, { mode, path }: TreeEntry): boolean {
  if (mode !== LINK) return false;
  const target = targetOf(join(root, path));
  const named = resolve(root, dirname(path), target);
  return named !== root && !isInside(root, named) && !OF_SYSTEM.test(target) && existsSync(named);
}

const OF_SYSTEM = /^\/(?:bin|dev|etc|lib\w*|nix|opt|proc|run|sbin|sys|usr|var)(?:\/|$)/;

/** True for a repository in the tree that is no submodule: what leaves only names its commit. */
function isForeign(root: string, { mode, path }: TreeEntry): boolean {
  const isPresent = mode === SUBMODULE && existsSync(join(root, path, '.git'));
  return isPresent && !submodulesOf(root).includes(path);
}

/** False for the registry file, because the fingerprint covers the definitions of features. */
const mayDiffer = (path: string): boolean => path !== REGISTRY_FILE && countsFor(path);

const mayMatter = ({ path, untracked }: StatusEntry): boolean =>
  mayDiffer(path) && !(untracked && isLeftBehind(path));

/** The files among these that a tree lacks: it has the entry that the commit had, without the change. */
export async function lackingIn(
  look: Look,
  subject: Subject,
  besides: readonly TreeEntry[],
): Promise<(of: Pick<Evidence, 'besides'>) => string[]> {
  if (subject.kind === 'worktree' || besides.length === 0) return () => [];
  const paths = [...new Set(besides.map(({ path }) => path))];
  const tree = await loadTree(look, subject, { paths, smoke: [] });
  const entries = new Map(tree.map((it) => [it.path, it]));
  const lacks = ({ path, mode, oid }: TreeEntry): boolean => {
    const there = entries.get(path);
    return (there?.oid ?? '') === oid && (there?.mode ?? '') === mode;
  };
  return (of) => of.besides.filter(lacks).map(({ path }) => path);
}
