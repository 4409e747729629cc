/** Colours and tables. Colour only repeats what the words say. */

import { printable } from '../../base/text/printable.ts';
import type { Output } from './output.ts';

type Paint = (text: string) => string;

export interface Painter {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly hint: Paint;
  readonly faint: Paint;
}

/** Loads chalk only when it is about to print. */
export async function painter(
  output: Pick<Output, 'env' | 'streams'>,
  stream: 'stdout' | 'stderr',
): Promise<Painter> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: wantsColour(output, stream) ? 1 : 0 });
  return {
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    hint: chalk.cyan,
    faint: chalk.dim,
  };
}

/** @see https://no-color.org and https://force-color.org: an empty value counts as not set. */
function wantsColour(
  { env, streams }: Pick<Output, 'env' | 'streams'>,
  stream: 'stdout' | 'stderr',
): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return streams[stream].isTTY === true && env.TERM !== 'dumb';
}

/** `text` is made printable; colour is added after the widths are known. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

const GAP = '  ';

/** The last cell of a line keeps this many columns, even if the line is then wrapped. */
const NARROWEST = 16;

/**
 * Left-aligned columns, two spaces apart, no line ends in spaces. A cell is one line.
 *
 * @param most columns that a line may take; what does not fit is cut off the last cell.
 */
export function renderTable(rows: readonly (readonly Cell[])[], most = Number.POSITIVE_INFINITY) {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, width(textOf(cell)));
    }
  }
  const before = (column: number) =>
    widths.slice(0, column).reduce((sum, it) => sum + it + GAP.length, 0);
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      if (column === row.length - 1) {
        return painted(cell, Math.max(NARROWEST, most - before(column)));
      }
      return painted(cell) + ' '.repeat((widths[column] ?? 0) - width(textOf(cell)));
    });
    return cells.join(GAP).trimEnd();
  });
  return lines.join('\n');
}

function textOf(cell: Cell): string {
  const text = typeof cell === 'string' ? cell : cell.text;
  return printable(text.replaceAll(/[\n\t]/g, ' '));
}

function painted(cell: Cell, most = Number.POSITIVE_INFINITY): string {
  const text = shortened(textOf(cell), most);
  return typeof cell === 'string' ? text : cell.paint(text);
}

function shortened(text: string, most: number): string {
  if (most === Number.POSITIVE_INFINITY || width(text) <= most) return text;
  let kept = '';
  let columns = 1; // for the sign that something is missing
  for (const { segment } of graphemes(text)) {
    columns += width(segment);
    if (columns > most) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Made at the first text that needs it: it takes longer than all else that most commands print. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u;

/** Visible characters only, each a column. */
const ASCII = /^[ -~]*$/;

/** Columns of a terminal that a text takes. */
function width(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}
