/** How often files were changed lately: by the commits of the index, or of git where nothing is indexed. */
import type { Workspace } from '../features/workspace.ts';
import { commitsOf, recentCommits } from '../git/history.ts';
import { codeStore } from '../store/code-index.ts';

export interface Changes {
  /** That were looked at. */
  readonly commits: number;
  /** By path. */
  readonly counts: ReadonlyMap<string, number>;
}

const MOST_COMMITS = 300;
/** A commit that changes more (a new format, a move) tells nothing about one of its files. */
const LARGE_COMMIT = 50;

export async function recentChanges({ git, store, projectId }: Workspace): Promise<Changes> {
  const indexed = codeStore(store)
    .commits(projectId)
    .filter(({ title }) => title !== null)
    .slice(-MOST_COMMITS);
  const past =
    indexed.length > 0 || git === undefined
      ? indexed
      : await commitsOf(git, await recentCommits(git, MOST_COMMITS));
  const counts = new Map<string, number>();
  for (const { files } of past) {
    if (files.length > LARGE_COMMIT) continue;
    for (const path of files) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return { commits: past.length, counts };
}
