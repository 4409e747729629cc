/** Fills the submodules of a tree from objects that are on this machine: nothing is downloaded. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../base/git/git.ts';
import { submodulesOf } from '../base/git/project-files.ts';
import { SUBMODULE } from '../base/git/tree-entry.ts';
import { treeAt } from '../base/git/tree-objects.ts';

interface Filling {
  readonly oid: string;
  /** Roots of the person's checkout and of its git directory; either may have the objects. */
  readonly from: readonly string[];
  readonly root: string;
}

/**
 * Checks out each submodule at the commit that the tree names. One that is already checked out is
 * moved there if it has no changes in the way.
 *
 * @returns paths of those whose commit is not here: they stay empty.
 */
export async function addSubmodules(git: Git, { oid, from, root }: Filling): Promise<string[]> {
  const missing: string[] = [];
  for (const { path, oid: wanted } of await submoduleLinks(git, oid, submodulesOf(root))) {
    const ours = join(root, path);
    const isThere = existsSync(join(ours, '.git'));
    const source = await sourceOf(git, from, path, wanted);
    if (source === undefined) {
      if (!isThere) missing.push(path);
      continue;
    }
    if (!isThere) await git.text(['clone', '--quiet', '--shared', '--no-checkout', source, ours]);
    const own = git.at(ours);
    const checkout = ['checkout', '--quiet', '--detach', wanted];
    if ((await own.maybe(checkout, [1, 128])) === undefined) {
      if (!isThere) rmSync(join(ours, '.git'), { recursive: true, force: true });
      continue;
    }
    const inside = await addSubmodules(own, {
      oid: wanted,
      from: placesIn(from, path),
      root: ours,
    });
    missing.push(...inside.map((it) => `${path}/${it}`));
  }
  return missing;
}

/** The missing submodules of a commit that is not checked out, without the submodules of submodules. */
export async function missingSubmodules(
  git: Git,
  { oid, from }: Omit<Filling, 'root'>,
): Promise<string[]> {
  const links = await submoduleLinks(git, oid, ['']);
  const found = await Promise.all(
    links.map(async (it) => ({ ...it, source: await sourceOf(git, from, it.path, it.oid) })),
  );
  return found.flatMap(({ path, source }) => (source === undefined ? path : []));
}

/** Whether a checked-out submodule has commits or changes that are nowhere else. */
export async function hasOwnWork(git: Git, root: string): Promise<boolean> {
  for (const path of submodulesOf(root).filter((it) => existsSync(join(root, it, '.git')))) {
    const own = git.at(join(root, path));
    const commits = ['rev-list', '--max-count=1', '--all', 'HEAD', '--not', '--alternate-refs'];
    if ((await own.maybe(commits, [128])) !== '') return true;
    if ((await own.maybe(['status', '--porcelain', '--ignored'], [128])) !== '') return true;
    if (await hasOwnWork(own, join(root, path))) return true;
  }
  return false;
}

async function submoduleLinks(git: Git, oid: string, paths: readonly string[]) {
  const entries = await treeAt(git, oid, paths);
  const isNamed = (path: string): boolean => paths.includes('') || paths.includes(path);
  return entries.filter(({ mode, path }) => mode === SUBMODULE && isNamed(path));
}

/** The repositories that may have the objects: a checkout may be gone while its git directory is kept. */
const placesIn = (from: readonly string[], path: string): string[] =>
  from.flatMap((it) => [join(it, path), join(it, 'modules', path)]);

async function sourceOf(git: Git, from: readonly string[], path: string, commit: string) {
  for (const place of placesIn(from, path)) {
    if (!existsSync(join(place, '.git')) && !existsSync(join(place, 'HEAD'))) continue;
    const asked = ['cat-file', '-e', `${commit}^{commit}`];
    if ((await git.at(place).maybe(asked, [1, 128])) !== undefined) return place;
  }
  return undefined;
}
