/** How often files were changed recently. */

import { commitsOf, recentCommits } from '../base/git/history.ts';
import type { Workspace } from '../features/workspace.ts';

export interface Changes {
  /** The number of commits that were looked at. */
  readonly commits: number;
  /** The number of commits that changed each path. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many of the commits changed one of these files. */
  readonly touching: (matches: (path: string) => boolean) => number;
}

const MOST_COMMITS = 300;
/** A commit that changes more files (a new format, a move) says nothing about one of them. */
const LARGE_COMMIT = 50;

export async function recentChanges({ git }: Pick<Workspace, 'git'>): Promise<Changes> {
  const past = git ? await commitsOf(git, await recentCommits(git, MOST_COMMITS)) : [];
  const changes = past.map(({ files }) => files).filter(({ length }) => length <= LARGE_COMMIT);
  const counts = new Map<string, number>();
  for (const path of changes.flat()) counts.set(path, (counts.get(path) ?? 0) + 1);
  return {
    commits: past.length,
    counts,
    touching(matches) {
      const found = new Set([...counts.keys()].filter(matches));
      return changes.filter((files) => files.some((it) => found.has(it))).length;
    },
  };
}
