/**
 * The lines for `.husky/pre-push` that let git hold pushes in every clone of a husky project: husky writes
 * its own hooks anew at each installation of packages, and starts that file from them.
 */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { deleteFile, readText, writeTarget } from '../base/files/user-files.ts';
import type { HookFolder } from './hook-folder.ts';

const FIRST_LINE = '# lanehold holds what is pushed before its features are verified';

/** The lines do nothing if lanehold is not installed; the input from git is passed on to the lines below them. */
const LINES = `${FIRST_LINE}
if command -v lanehold >/dev/null 2>&1; then
  pushed=$(cat)
  [ -z "$pushed" ] || printf '%s\\n' "$pushed" | lanehold git-hook run "$@" || exit 1
  exec </dev/null
  [ -z "$pushed" ] || exec <<END
$pushed
END
fi
`;

/** The file of a husky project that is committed; `undefined` if husky starts no hooks. */
export function huskyFile({ place, folder, setting }: HookFolder): string | undefined {
  const husky = basename(folder) === '_' ? dirname(folder) : folder;
  if (setting !== undefined && basename(husky) === '.husky') return join(husky, 'pre-push');
  // Husky sets it when packages are installed.
  const isUnset = setting === undefined;
  const expected = join(place.root, '.husky');
  const isThere = attempt(() => statSync(expected).isDirectory()) === true;
  return isUnset && isThere ? join(expected, 'pre-push') : undefined;
}

/** True if sh reads the file: before husky 9, git starts it, and it may be a program of another language. */
export const isForShell = (file: string): boolean =>
  !/^#!(?!.*\b(?:ba|da|k|z)?sh\b)/.test(readText(file) ?? '');

export const hasHuskyLines = (file: string): boolean =>
  readText(file)?.includes(FIRST_LINE) === true;

const FRESH = '#!/usr/bin/env sh\n';

/** Adds the lines before all others, which may read the input from git. */
export function addHuskyLines(file: string, { folder }: Pick<HookFolder, 'folder'>): void {
  const present = readText(file);
  const text = present ?? FRESH;
  const [head = ''] = /^(?:#!.*\n)?(?:\. .*husky\.sh"?\n)?/.exec(text) ?? [];
  // Husky reads the file with sh; before version 9 git starts it.
  const mode = present === undefined || folder === dirname(file) ? 0o755 : undefined;
  writeTarget(file, `${head}${LINES}${text.slice(head.length)}`, mode);
}

/** The lines of every version end with the first `fi`. */
const ANY_LINES = new RegExp(`^${FIRST_LINE}\\n[^]*?^fi\\n`, 'm');

export function removeHuskyLines(file: string): 'deleted' | 'cleaned' {
  const text = (readText(file) ?? '').replace(ANY_LINES, '');
  if (text !== FRESH) writeTarget(file, text);
  else deleteFile(file, []);
  return text === FRESH ? 'deleted' : 'cleaned';
}
