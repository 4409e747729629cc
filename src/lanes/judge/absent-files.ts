/** Files that a failed validation speaks of, and that are in a working tree but in no commit. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { endOfFile } from '../../base/files/plain-file.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { ignoredEntries, untracked } from '../../base/git/paths.ts';
import { literally } from '../../base/text/pattern.ts';

const MOST_NAMES = 5;
/** The part of the log that is read: what is missing is told near its end. */
const MAX_BYTES = 1024 * 1024;

/**
 * @param trees roots of working trees in which the files may be.
 * @param root of the checkout in which the command ran.
 * @returns paths relative to the root.
 */
export async function absentFiles(
  trees: readonly string[],
  { root, log }: { readonly root: string; readonly log: string },
  env: Environment,
): Promise<string[]> {
  const text = endOfFile(log, MAX_BYTES).toString();
  const found = new Set<string>();
  for (const tree of trees.filter((it) => existsSync(it))) {
    const git = gitIn(tree, env);
    for (const path of [...(await ignoredEntries(git)), ...(await untracked(git))]) {
      if (isNamed(path, text) && !existsSync(join(root, path))) found.add(path);
    }
  }
  return [...found].slice(0, MOST_NAMES);
}

/** Shorter names are words of any text. */
const MIN_NAME = 4;

/** Whether the text has its path, or its name alone: others of that name come with their folders. */
function isNamed(path: string, text: string): boolean {
  const [all, name] = [literally(path), literally(basename(path))];
  const pattern = `(?:(?<![\\w.-])(?:${all}|\\./${name})|(?<![\\w./-])${name})(?![\\w.-])`;
  return basename(path).length >= MIN_NAME && new RegExp(pattern).test(text);
}
