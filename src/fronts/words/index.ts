/** How a run of the index looks. */
import type { IndexResult } from '../../app/recall/code-index.ts';
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';

export function indexText(result: IndexResult): string {
  if (result.state === 'busy') return 'Another process is indexing this project';
  const { root, ms, files, read, removed, skipped, leftOut, commits, newCommits } = result;
  const left = leftOut === 0 ? '' : `, ${leftOut} more left out: too many`;
  return [
    `Indexed ${plural(files, 'file')} and ${plural(commits, 'commit')} of ${printableLine(root)}`,
    `  read ${plural(read, 'changed file')} and ${plural(newCommits, 'new commit')}, removed ${removed}, in ${(ms / 1000).toFixed(1)} s`,
    `  not searched: ${plural(skipped, 'file')} that are secret, binary, generated or large${left}`,
  ].join('\n');
}
