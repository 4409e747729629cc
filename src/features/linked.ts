/** Adds documents and settings to which a counting link leads: a program reads them by the link's name. */
import { readlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import { attempt } from '../base/errors.ts';
import type { Git } from '../base/git/git.ts';
import { LINK, type TreeEntry, withinAny } from '../base/git/tree-entry.ts';
import { countsFor } from './never-counts.ts';

const MARK = 'linked ';

export const isLinked = ({ mode }: TreeEntry): boolean => mode.startsWith(MARK);

/** Entries that a rest has besides its own files. @param tree the whole tree. */
export async function linkedEntries(
  git: Git | undefined,
  root: string,
  tree: readonly TreeEntry[],
): Promise<TreeEntry[]> {
  const links = tree.filter(({ mode }) => mode === LINK);
  const others = links.length === 0 ? [] : tree.filter(({ path }) => !countsFor(path));
  if (others.length === 0) return [];
  const objects = (await git?.objects(links.map(({ oid }) => oid))) ?? [];
  const leads = links.map(({ path }, at) => {
    const target = objects[at]?.content.toString() ?? targetOf(join(root, path));
    return { path, to: posix.join(posix.dirname(path), target).replace(/^\.$|\/$/, '') };
  });
  const reached = new Set(leads.flatMap(({ path, to }) => (countsFor(path) ? to : [])));
  // A document may itself be a link that leads further.
  for (let size = -1; size < reached.size; ) {
    size = reached.size;
    const isReached = withinAny([...reached]);
    for (const { path, to } of leads) if (isReached(path)) reached.add(to);
  }
  const isReached = withinAny([...reached]);
  return others
    .filter(({ path }) => isReached(path))
    .map((it) => ({ ...it, mode: MARK + it.mode }));
}

/** The target of a link; `''` if the link is gone. */
export const targetOf = (link: string): string => attempt(() => readlinkSync(link)) ?? '';
