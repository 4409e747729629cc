/** Whether a command changed the working tree. Ignored files do not count. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../../git/git.ts';
import { changedBetween } from '../../git/paths.ts';
import { readStatus } from '../../git/status.ts';

export interface TreeState {
  readonly root: string;
  readonly head: string | undefined;
  /** For each path that differs from the commit, a stamp of the file. */
  readonly changes: ReadonlyMap<string, string>;
}

export async function readTreeState(git: Git): Promise<TreeState> {
  const [status, toplevel] = await Promise.all([
    readStatus(git),
    git.text(['rev-parse', '--show-toplevel']),
  ]);
  const root = toplevel.replace(/\n$/, '');
  const changes = status.changes.map(({ path, staged }) => {
    return [path, `${staged} ${stampOf(join(root, path))}`] as const;
  });
  return { root, head: status.head, changes: new Map(changes) };
}

/** Paths that changed since, and those in commits that were made since. */
export async function changedSince(git: Git, before: TreeState): Promise<string[]> {
  const after = await readTreeState(git);
  const differing = [...new Set([...before.changes.keys(), ...after.changes.keys()])].filter(
    (path) => before.changes.get(path) !== after.changes.get(path),
  );
  const { head } = before;
  const moved =
    head === undefined || after.head === undefined || head === after.head
      ? []
      : await changedBetween(git, head, after.head);
  return [...new Set([...differing, ...moved])].toSorted();
}

/** Uses the change time (ctime), since a program can set all other times. */
function stampOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? '' : `${stats.ctimeNs} ${stats.size} ${stats.ino}`;
}
