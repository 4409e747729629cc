/** The hunks of a file as git writes them, as lines with their numbers. Pure. */
import { parsePatch, type StructuredPatch } from 'diff';

/** As the server sends it. */
export interface FileChange {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** A binary file has no lines. */
  readonly binary: boolean;
  /** From its first `@@` on. */
  readonly patch: string;
}

export interface Hunk {
  readonly title: string;
  readonly lines: readonly Line[];
}

export interface Line {
  /** `\` is what git notes about the line before: that no newline ends it. */
  readonly sign: '+' | '-' | ' ' | '\\';
  /** Its number in the old file for a line that is gone, in the new file otherwise. */
  readonly no: number;
  readonly text: string;
}

/** `null` if it is no patch that can be read. */
export function hunksOf(patch: string): Hunk[] | null {
  try {
    return parsePatch(patch).flatMap(({ hunks }) => hunks.map(toHunk));
  } catch {
    // What has no shape is shown as the text that it is.
    return null;
  }
}

/** `new` and `deleted` are seen from the first hunk: a side that has no lines is counted from 0. */
export function happenedTo({ binary, patch }: FileChange): string | null {
  if (binary) return 'binary';
  if (patch.startsWith('@@ -0,0 ')) return 'new';
  return /^@@ \S+ \+0,0 @@/.test(patch) ? 'deleted' : null;
}

/** Without a look at its lines: that of files which stay folded costs too much. */
export const lineCount = ({ patch }: FileChange): number => patch.split('\n').length;

/** As git writes it: a side without lines is counted from the line before. */
const range = (start: number, lines: number): string =>
  `${lines === 0 ? start - 1 : start},${lines}`;

type GitHunk = StructuredPatch['hunks'][number];

function toHunk({ oldStart, oldLines, newStart, newLines, lines }: GitHunk): Hunk {
  let before = oldStart;
  let after = newStart;
  return {
    title: `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    lines: lines.flatMap((line): Line[] => {
      const sign = line[0];
      const text = line.slice(1).replace(/\r$/, '');
      if (sign === '-') return [{ sign, no: before++, text }];
      if (sign === '+') return [{ sign, no: after++, text }];
      if (sign === '\\') return [{ sign, no: 0, text: text.trim() }];
      if (sign !== ' ') return [];
      before += 1;
      return [{ sign, no: after++, text }];
    }),
  };
}
