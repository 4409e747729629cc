/** Reads refs from git's files instead of with a start of git: each lane needs its refs many times. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { readPlainFile } from '../files/plain-file.ts';
import type { Git } from './git.ts';
import { placeOfGit } from './project.ts';
import { isOid } from './tree-entry.ts';

/**
 * The commits of some refs, without those that do not exist.
 *
 * @returns `undefined` if only git can tell: for a symbolic ref, a repository that keeps refs in another way, a
 * damaged file.
 * @see https://git-scm.com/docs/gitrepository-layout
 */
export function readRefFiles(
  git: Pick<Git, 'directory' | 'gitDir'>,
  names: readonly string[],
): Map<string, string> | undefined {
  return attempt(() => {
    const { identity, kind } = placeOfGit(git);
    if (kind === 'folder' || existsSync(join(identity, 'reftable'))) return undefined;
    const found = new Map<string, string>();
    for (const name of names) {
      if (!SHARED.test(name)) return undefined;
      // git writes the packed refs before it removes the files, so they are read afterwards.
      const text = readPlainFile(join(identity, name)) ?? packed(identity, name);
      if (text === undefined) continue;
      const oid = text.replace(/\n$/, '');
      if (!isOid(oid)) return undefined;
      found.set(name, oid);
    }
    return found;
  });
}

/** A ref that all working trees share. Git tells of a name that it may not allow, or that could leave the folder. */
const SHARED =
  /^refs\/(?:stash|(?:heads|remotes|tags|lanehold|notes)(?:\/[\w+@#=,-]+(?:\.(?!lock(?:\/|$))[\w+@#=,-]+)*)+)$/;

/** The id from a line `<oid> <name>`; after that of an annotated tag is a line `^<oid>`. Empty in a damaged file. */
function packed(identity: string, name: string): string | undefined {
  const file = join(identity, 'packed-refs');
  const text = readPlainFile(file);
  if (text === undefined) return existsSync(file) ? '' : undefined;
  const line = ` ${name}\n`;
  const at = text.indexOf(line);
  if (at !== text.lastIndexOf(line) || !/(?:^|\n)$/.test(text.slice(-1))) return '';
  return at < 0 ? undefined : text.slice(text.lastIndexOf('\n', at) + 1, at);
}
