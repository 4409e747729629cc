/** Lines of lanehold at the end of a text file of the user, between two marks. */
import { UserFileError } from '../../base/files/user-files.ts';
import type { FileEditor } from '../install.ts';

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
