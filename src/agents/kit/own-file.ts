/** A file of which all belongs to lanehold (a plugin, a rules file, a skill), or lines at its end between two marks. */

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

const FIRST = '# lanehold install wrote this';
const LAST = '# end of what lanehold install wrote';

const BLOCK = `${FIRST}[^]*?${LAST}(?:\\r?\\n)?`;

/** @param lines the lines between the marks. */
export function markedBlock(lines: string): FileEditor {
  return {
    plan(file, { current = '', bare = '' }) {
      const eol = current.includes('\r\n') ? '\r\n' : '\n';
      const block = [FIRST, ...lines.trim().split('\n'), LAST, ''].join(eol);
      const [found] = new RegExp(BLOCK).exec(current) ?? [];
      if (found === undefined) {
        if (current.includes(FIRST)) {
          throw new UserFileError(`${file} has the start of what lanehold wrote, and no end`, {
            hint: `put \`${LAST}\` behind it, or take it out`,
          });
        }
        return { state: 'new', text: bare + gapAfter(bare, eol) + block };
      }
      if (found.trimEnd() === block.trimEnd()) return { state: 'current', text: current };
      return { state: 'upgrade', text: current.replace(found, () => block) };
    },
    withoutOurs(_file, text, original = '') {
      // The blank line above belongs to the block, and so does the end of the line before it if it had none.
      const ends = original === '' || original.endsWith('\n') ? 1 : 2;
      return text.replace(new RegExp(`(?:\\r?\\n){0,${ends}}${BLOCK}`), '');
    },
    find: () => [],
  };
}

function gapAfter(text: string, eol: string): string {
  if (text === '') return '';
  return text.endsWith('\n') ? eol : eol + eol;
}
