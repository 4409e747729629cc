import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IntegrateOptions, integrate } from '../../../src/lanes/queue/integrate.ts';
import { laneRows } from '../../support/lane-rows.ts';

export const SLOW = 240_000;
const CHECK = `set -e
echo x >> "$CHECKS"
for check in checks/*.sh; do sh "$check"; done
`;
/** Fails if the words were changed and another file still uses an old one. */
const WORDS = `word=$(cat words.txt)
for user in users/*; do grep -q "$word" "$user"; done
`;

/** A project whose checks fail for the combined work of two lanes, and count how often they run. */
export async function words(
  options: { files?: Record<string, string>; validate?: string; env?: Record<string, string> } = {},
) {
  const files = {
    'check.sh': CHECK,
    'checks/words.sh': WORDS,
    'words.txt': 'area\n',
    'users/first': 'uses area\n',
    'shared.txt': 'one\ntwo\nthree\n',
    ...options.files,
  };
  const { files: _, ...more } = options;
  const rows = await laneRows({ files, ...more });
  const journal = join(rows.box.root, 'checks');
  const context = { ...rows.context, env: { ...rows.context.env, CHECKS: journal } };
  const progress: string[] = [];
  return {
    ...rows,
    context,
    progress,
    runs: () => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0),
    integrate: (more: Partial<IntegrateOptions> = {}) =>
      integrate(context, rows.run, {
        signal: new AbortController().signal,
        progress: (line) => progress.push(line),
        ...more,
      }),
  };
}
