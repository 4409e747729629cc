/** A patch of git as the rows that are shown: file heads, hunks, lines. Pure. */
import { parsePatch, type StructuredPatch } from 'diff';

export interface FileChange {
  readonly path: string;
  /** Where its content was before, if it was elsewhere. */
  readonly from: string | null;
  /** What has happened to the file beside its lines, in words. */
  readonly how: string | null;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

interface Hunk {
  readonly title: string;
  readonly lines: readonly Line[];
}

export interface Line {
  /** `\\` is what git notes about the line before: that no newline ends it. */
  readonly sign: '+' | '-' | ' ' | '\\';
  /** Its number in the old file for a line that is gone, in the new file otherwise. */
  readonly no: number;
  readonly text: string;
}

/** The files of a patch; `null` if it is none that can be read. */
export function filesOf(patch: string): FileChange[] | null {
  try {
    return parsePatch(patch)
      .filter((it) => it.hunks.length > 0 || it.oldFileName || it.newFileName)
      .map(toFile);
  } catch {
    // What has no shape is shown as the text that it is.
    return null;
  }
}

function toFile(patch: StructuredPatch): FileChange {
  const before = withoutSide(patch.oldFileName);
  const after = withoutSide(patch.newFileName);
  const path = after ?? before ?? '';
  const hunks = patch.hunks.map(toHunk);
  const count = (sign: Line['sign']) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((it) => it.sign === sign).length, 0);
  return {
    path,
    from: before !== null && before !== path ? before : null,
    how: happenedTo(patch),
    added: count('+'),
    removed: count('-'),
    hunks,
  };
}

function withoutSide(name: string | undefined): string | null {
  return name === undefined || name === '/dev/null' ? null : name.replace(/^[ab]\//, '');
}

function happenedTo(patch: StructuredPatch): string | null {
  const words = [
    patch.isRename && 'renamed',
    patch.isCopy && 'copied',
    (patch.isCreate || patch.oldFileName === '/dev/null') && 'new',
    (patch.isDelete || patch.newFileName === '/dev/null') && 'deleted',
    patch.isBinary && 'binary',
    !patch.isCreate && !patch.isDelete && patch.newMode && `mode ${patch.newMode}`,
  ].filter((it) => typeof it === 'string');
  return words.length > 0 ? words.join(', ') : null;
}

function toHunk({
  oldStart,
  oldLines,
  newStart,
  newLines,
  lines,
}: StructuredPatch['hunks'][0]): Hunk {
  let before = oldStart;
  let after = newStart;
  return {
    title: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
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
