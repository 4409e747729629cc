/** Reads and replaces files of the user. */
import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, ExplainedError, troubleOf } from '../errors.ts';
import { makeFolders } from './private-folder.ts';
import { realPath } from './real-path.ts';
import { modeOf, PRIVATE, replaceFile } from './replace-file.ts';

/** The start of the name of a file that will replace another one in the same folder. */
const DRAFT = '.lanehold-draft-';

/** A settings file that the agent could not read. */
export class UserFileError extends ExplainedError {
  override readonly code = 'SETTINGS_FILE';
}

/**
 * Returns the text of a file, byte order mark included, or `undefined` if there is none.
 *
 * @throws {ExplainedError} if it cannot be read.
 * @throws {UserFileError} if it is not UTF-8: writing it back would change it.
 */
export function readText(file: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw explainAccess(`cannot read ${file}`, error);
  }
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new UserFileError(`${file} is not UTF-8`, { hint: 'convert the file' });
}

/** The file that a path leads to through links, even if it does not exist yet. */
export const targetOf = (file: string): string => realPath(resolve(file));

/**
 * Replaces or creates a file in one step, and makes the folders that are missing. Permissions stay
 * as they were, unless `wantedMode` says otherwise. Callers hold the lock of the installation.
 *
 * @param target what `targetOf` returned: a link itself would be replaced by a file.
 * @returns the folders that had to be made, outermost first.
 * @throws {ExplainedError} with the old content untouched.
 */
export function writeTarget(target: string, text: string, wantedMode?: number): string[] {
  try {
    const made = makeFolders(dirname(target), 0o700);
    sweepDrafts(dirname(target));
    const draft = join(dirname(target), `${DRAFT}${crypto.randomUUID()}`);
    replaceFile(target, text, { mode: wantedMode ?? modeOf(target) ?? PRIVATE, draft });
    return made;
  } catch (error) {
    throw explainAccess(`cannot write ${target}`, error);
  }
}

/**
 * Checks that the file, or the first missing folder above it, can be written.
 *
 * @throws {ExplainedError} if nothing can be written there.
 */
export function assertWritable(target: string): void {
  let folder = dirname(target);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const draft = join(folder, `${DRAFT}${crypto.randomUUID()}`);
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: PRIVATE });
    rmSync(draft, { force: true });
  } catch (error) {
    throw explainAccess(`cannot write ${target}`, error);
  }
}

/** Removes drafts of a killed process; callers hold the lock, so no draft is in use. */
function sweepDrafts(folder: string): void {
  const drafts = readdirSync(folder).filter((name) => name.startsWith(DRAFT));
  for (const draft of drafts) rmSync(join(folder, draft), { force: true });
}

/** Deletes a file, if it exists, and those of `folders` (outermost first) that are then empty. */
export function deleteFile(target: string, folders: readonly string[]): void {
  try {
    rmSync(target, { force: true });
    if (existsSync(dirname(target))) sweepDrafts(dirname(target));
    for (const folder of folders.toReversed()) if (existsSync(folder)) rmdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY') return;
    throw explainAccess(`cannot delete ${target}`, error);
  }
}

/** Explains errors of the file system; others are returned unchanged. */
export function explainAccess(fact: string, cause: unknown): unknown {
  const reason = troubleOf(cause);
  if (reason === undefined) return cause;
  const hint = 'correct that, then run this again; the file is as it was';
  return new ExplainedError(`${fact}: ${reason}`, { code: 'FILE_ACCESS', hint, cause });
}
