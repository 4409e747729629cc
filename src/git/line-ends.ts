/**
 * Finds the changed files whose line ends git does not convert, although it would in a new file:
 * those that were committed with CR LF before conversion was turned on. `git add` looks at the index
 * for that, `git hash-object` does not.
 *
 * @see https://git-scm.com/docs/gitattributes#_text
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { splitNul } from './paths.ts';

/** Larger files are taken as binary. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Paths on one command line. */
const BATCH = 200;

/** @param tracked changed files that are in the index. */
export async function keepingLineEnds(
  git: Git,
  root: string,
  tracked: readonly string[],
): Promise<ReadonlySet<string>> {
  const suspects = tracked.filter((path) => hasCrLf(join(root, path)));
  if (suspects.length === 0) return new Set();
  const [undecided, automatic] = await Promise.all([committedWithCrLf(git, suspects), isOn(git)]);
  const kept = [...undecided].filter(([, attributes]) => {
    return attributes.startsWith('text=auto') || (attributes === '' && automatic);
  });
  const filtered = await filteredPaths(
    git,
    kept.map(([path]) => path),
  );
  return new Set(kept.flatMap(([path]) => (filtered.has(path) ? [] : path)));
}

function hasCrLf(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > MAX_BYTES) return false;
  return readFileSync(file).includes('\r\n');
}

/** Path to what the attributes say of line ends: `text=auto`, `text eol=crlf`, or nothing. */
async function committedWithCrLf(
  git: Git,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH);
    const args = ['--literal-pathspecs', 'ls-files', '--eol', '-z', '--', ...batch];
    for (const line of splitNul(await git.text(args))) {
      // `i/<in the index> w/<in the working tree> attr/<attributes>\t<path>`, padded with spaces
      const tab = line.indexOf('\t');
      const [, attributes] =
        /^i\/(?:crlf|mixed)\s+w\/\S*\s+attr\/(.*)$/.exec(line.slice(0, tab)) ?? [];
      if (attributes !== undefined) found.set(line.slice(tab + 1), attributes.trim());
    }
  }
  return found;
}

async function isOn(git: Git): Promise<boolean> {
  const value = (await git.maybe(['config', 'core.autocrlf']))?.trim().toLowerCase();
  return value !== undefined && !['false', 'no', 'off', '0'].includes(value);
}

/** Paths whose content another filter changes as well. */
async function filteredPaths(git: Git, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const args = ['check-attr', '--stdin', '-z', 'filter', 'ident', 'working-tree-encoding'];
  const fields = splitNul(await git.text(args, paths.map((path) => `${path}\0`).join('')));
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.add(path);
  }
  return filtered;
}
