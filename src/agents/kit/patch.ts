/** Patches in the form that models of OpenAI write, from `*** Begin Patch` to `*** End Patch`. */
import { resolve } from 'node:path';
import { isPath } from './payload.ts';

const FILE_LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm;

/** Absolute paths of the files that a patch adds, changes, moves or deletes. */
export function patchedPaths(patch: string, cwd: string): readonly string[] {
  const paths = [...patch.matchAll(FILE_LINE)].map(([, path = '']) => path.trim());
  return [...new Set(paths.filter(isPath).map((it) => resolve(cwd, it)))];
}
