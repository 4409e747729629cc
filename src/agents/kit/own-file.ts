/** A file that belongs to lanehold as a whole: a plugin, a rules file, a skill. */

import { UserFileError } from '../../base/files/user-files.ts';
import type { FileEditor } from '../install.ts';

/** The mark in one of the first lines of each file, in a comment of its format. */
export const OWN_FILE_MARK = 'Written by `lanehold install`';

const FIRST_LINES = 12;

/** @param text has the mark in one of its first lines, or is exactly what was written. */
export function ownFile(text: string): FileEditor {
  const isOurs = (found: string): boolean =>
    found === text || found.split('\n', FIRST_LINES).join('\n').includes(OWN_FILE_MARK);
  return {
    plan(file, { current }) {
      if (current === undefined) return { state: 'new', text };
      if (current === text) return { state: 'current', text };
      if (isOurs(current)) return { state: 'upgrade', text };
      throw new UserFileError(`${file} is there already, and is not of lanehold`, {
        hint: 'move it elsewhere, then run this again',
      });
    },
    withoutOurs: (_file, found) => (isOurs(found) ? undefined : found),
    find: () => [],
  };
}
