/**
 * The id of a clone: a UUID in a file of git's common directory, written once. All worktrees share it, it is moved with
 * the repository, and git never sends it anywhere. It does not show who owns the repository.
 */
import { lstatSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { startOfFile } from '../files/plain-file.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { PRIVATE, replaceFile } from '../files/replace-file.ts';

const fileIn = (commonDir: string): string => join(commonDir, 'lanehold', 'id');

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/;

/** The id; `undefined` if there is none, or something else than an id. */
export function cloneId(commonDir: string): string | undefined {
  const text = attempt(() => startOfFile(fileIn(commonDir), 64).toString('latin1')) ?? '';
  return UUID.test(text) ? text.trimEnd() : undefined;
}

/**
 * Gives a clone an id, if it can be written.
 *
 * @param over `copied`: the present id came with a copy of another clone.
 * @returns the id that is then present; of two processes at once, the first one decides.
 */
export function giveCloneId(commonDir: string, over: 'nothing' | 'copied'): string | undefined {
  const file = fileIn(commonDir);
  const text = `${crypto.randomUUID()}\n`;
  attempt(() => {
    makePrivateFolder(dirname(file));
    // A link that came with a repository would lead to another file.
    if (!lstatSync(dirname(file)).isDirectory()) return;
    if (over === 'copied') replaceFile(file, text, { mode: PRIVATE });
    else writeFileSync(file, text, { flag: 'wx', mode: PRIVATE });
  });
  return cloneId(commonDir);
}
