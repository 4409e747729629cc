/**
 * Refs by their full names, read from git's files instead of with a start of git: a lane is read for many times in
 * its life.
 */
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
      const text = readPlainFile(join(identity, name))?.trim() ?? packed(identity, name);
      if (text === undefined) continue;
      if (!isOid(text)) return undefined;
      found.set(name, text);
    }
    return found;
  });
}

/** A ref that all working trees share, by a name that cannot leave the folder. */
const SHARED = /^refs\/(?:heads|remotes|tags|lanehold|notes|stash)(?:\/(?!\.)[^\0/]+)*$/;

/** Lines of `<oid> <name>`, and `^<oid>` after the line of an annotated tag. */
function packed(identity: string, name: string): string | undefined {
  const text = readPlainFile(join(identity, 'packed-refs')) ?? '';
  const at = text.indexOf(` ${name}\n`);
  return at < 0 ? undefined : text.slice(text.lastIndexOf('\n', at) + 1, at);
}
