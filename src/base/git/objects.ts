/** Objects by name, as `git cat-file --batch` prints them; and commits, written in git's format. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { replaceFile } from '../files/replace-file.ts';
import { type Git, GitError, type GitObject } from './git.ts';
import { placeOfGit } from './project.ts';

const BATCH = ['cat-file', '--batch'];
const NEW_LINE = 0x0a;

/** The objects in the order of the names, `undefined` for a missing one. @throws {GitError} */
export async function objectsBy(
  bytes: Git['bytes'],
  names: readonly string[],
): Promise<(GitObject | undefined)[]> {
  if (names.length === 0) return [];
  // Each line of the input is a name.
  if (names.some((name) => name.includes('\n')))
    throw new GitError(BATCH, 'the name of a file has a line break');
  const output = await bytes(BATCH, names.map((it) => `${it}\n`).join(''));
  let at = 0;
  return names.map(() => {
    // `<oid> <type> <size>`, a new line, the content and a new line; or `<name> missing` and a new line.
    const end = output.indexOf(NEW_LINE, at);
    const header = output.toString('utf8', at, end);
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
    const start = end + 1;
    at = size === undefined ? start : start + Number(size) + 1;
    return oid && type ? { oid, type, content: output.subarray(start, at - 1) } : undefined;
  });
}

/**
 * Writes a commit without a start of git, and returns its oid once it is on the disk.
 *
 * @param text begins with `tree <oid>`, whose length shows the repository's hash.
 */
export function writeCommit(git: Pick<Git, 'directory' | 'gitDir'>, text: string): string {
  const content = Buffer.from(text);
  const object = Buffer.concat([Buffer.from(`commit ${content.length}\0`), content]);
  const algorithm = text.indexOf('\n') > 'tree '.length + 40 ? 'sha256' : 'sha1';
  const oid = createHash(algorithm).update(object).digest('hex');
  const objects = join(placeOfGit(git).identity, 'objects');
  const folder = join(objects, oid.slice(0, 2));
  // In a repository that a group shares, the group can write to its folders.
  if (mkdirSync(folder, { recursive: true })) chmodSync(folder, statSync(objects).mode & 0o7777);
  // git removes the rest of a draft. The time of an existing file is renewed, or git could collect it.
  const draft = join(folder, `tmp_obj_${process.pid}`);
  replaceFile(join(folder, oid.slice(2)), deflateSync(object), { mode: 0o444, draft });
  return oid;
}
