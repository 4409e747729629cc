/** Files that are usually changed together, according to the indexed commits. */

import { printableLine } from '../base/text/printable.ts';
import { codeStore } from '../store/code-index.ts';
import type { Store } from '../store/open.ts';

/** A commit that changes more files says nothing about two of them. */
const LARGE_COMMIT = 20;
const FEWEST_COMMITS = 4;
const USUAL = 0.6;
const MOST_NAMED = 3;

/** How many commits changed a file, and the other files that these commits changed, most often first. */
export function changedWith(store: Store, projectId: number, path: string) {
  const commits = codeStore(store)
    .commitsOfFile(projectId, JSON.stringify(path))
    .map(({ files }) => JSON.parse(files) as string[])
    .filter(({ length }) => length <= LARGE_COMMIT);
  const counts = new Map<string, number>();
  for (const other of commits.flat()) {
    if (other !== path) counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  const others = [...counts]
    .map(([other, count]) => ({ path: other, commits: count }))
    .sort((a, b) => b.commits - a.commits || (a.path < b.path ? -1 : 1));
  return { commits: commits.length, others };
}

/** The line for a session that edits the file; `undefined` if it is usually changed alone. */
export function togetherLine(store: Store, projectId: number, path: string): string | undefined {
  const { commits, others } = changedWith(store, projectId, path);
  const usual = others.filter((it) => it.commits >= Math.max(FEWEST_COMMITS, USUAL * commits));
  if (usual.length === 0) return undefined;
  const named = usual
    .slice(0, MOST_NAMED)
    .map((it) => `${printableLine(it.path)} (${it.commits} of ${commits} commits)`);
  return `lanehold: ${printableLine(path)} has usually been changed together with ${named.join(', ')}.`;
}
