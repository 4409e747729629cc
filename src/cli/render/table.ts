import { printable } from '../../text/printable.ts';
import type { Paint } from './colour.ts';

/** `text` may come from anywhere; colour is put on after the widths are known. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

const GAP = '  ';

/** Left-aligned columns, two spaces apart, no line ends in spaces. A cell is one line. */
export function renderTable(rows: readonly (readonly Cell[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, width(textOf(cell)));
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const last = column === row.length - 1;
          const missing = last ? 0 : (widths[column] ?? 0) - width(textOf(cell));
          return painted(cell) + ' '.repeat(missing);
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

function textOf(cell: Cell): string {
  const text = typeof cell === 'string' ? cell : cell.text;
  return printable(text.replaceAll(/[\n\t]/g, ' '));
}

function painted(cell: Cell): string {
  return typeof cell === 'string' ? textOf(cell) : cell.paint(textOf(cell));
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u;

/** Columns of a terminal that a text takes. */
function width(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}
