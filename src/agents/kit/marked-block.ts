/** Some lines of ours at the end of a text file of the user, between two marks. */

import { UserFileError } from '../../base/files/user-files.ts';
import type { FileEditor } from '../install.ts';

const FIRST = '# lanehold install wrote this';
const LAST = '# end of what lanehold install wrote';

/** @param lines what stands between the marks. */
export function markedBlock(lines: string): FileEditor {
  /** Where the block is, from its first mark to behind the line end of its last one. */
  function blockIn(file: string, text: string): { start: number; end: number } | undefined {
    const start = text.indexOf(FIRST);
    if (start === -1) return undefined;
    const end = text.indexOf(LAST, start);
    if (end === -1) {
      throw new UserFileError(`${file} has the start of what lanehold wrote, and no end`, {
        hint: `put \`${LAST}\` behind it, or take it out`,
      });
    }
    const lineEnd = /^\r?\n/.exec(text.slice(end + LAST.length))?.[0].length ?? 0;
    return { start, end: end + LAST.length + lineEnd };
  }

  function block(eol: string): string {
    return [FIRST, ...lines.trim().split('\n'), LAST, ''].join(eol);
  }

  return {
    plan(file, { current = '', bare = '' }) {
      const eol = current.includes('\r\n') ? '\r\n' : '\n';
      const found = blockIn(file, current);
      if (found === undefined) {
        const gap = bare === '' ? '' : /\n$/.test(bare) ? eol : eol + eol;
        return { state: 'new', text: bare + gap + block(eol) };
      }
      const { start, end } = found;
      if (current.slice(start, end).trimEnd() === block(eol).trimEnd()) {
        return { state: 'current', text: current };
      }
      return { state: 'upgrade', text: current.slice(0, start) + block(eol) + current.slice(end) };
    },
    withoutOurs(file, text, original) {
      const found = blockIn(file, text);
      if (found === undefined) return text;
      const before = text.slice(0, found.start);
      const after = text.slice(found.end);
      // The blank line above is ours, and the end of the line before it if there was none.
      const hadEnd = original === undefined || original === '' || /\n$/.test(original);
      const kept = hadEnd ? before.replace(/\r?\n$/, '') : before.replace(/(?:\r?\n){1,2}$/, '');
      return kept + after;
    },
    find: () => [],
  };
}
