/** Colours and tables. Colour only repeats the words. */
import sliceAnsi from 'slice-ansi';
import width from 'string-width';
import { printable } from '../../base/text/printable.ts';
import type { Output } from './output.ts';

type Paint = (text: string) => string;

export type Painter = Readonly<
  Record<'good' | 'bad' | 'warn' | 'hint' | 'faint' | 'strong', Paint>
>;

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
    strong: chalk.bold,
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

/** The columns that the last cell and the others keep, even if the line then wraps. */
const NARROWEST = { last: 16, other: 10 };

/**
 * Left-aligned columns, two spaces apart, no line ends in spaces. A cell is one line.
 *
 * @param most columns that a line may take, those of the terminal by default. The last cell gives way
 *   first, then the widest others, which are cut in the middle: names differ at both ends.
 */
export function renderTable(
  rows: readonly (readonly Cell[])[],
  most = process.stdout.columns || Number.POSITIVE_INFINITY,
) {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, width(textOf(cell)));
    }
  }
  const before = (column: number) =>
    widths.slice(0, column).reduce((sum, it) => sum + it + GAP.length, 0);
  const last = widths.length - 1;
  const kept = Math.min(NARROWEST.last, widths[last] ?? 0);
  while (before(last) + kept > most) {
    const widest = Math.max(...widths.slice(0, last));
    if (widest <= NARROWEST.other) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const isLast = column === row.length - 1;
      const room = isLast ? Math.max(kept, most - before(column)) : (widths[column] ?? 0);
      const text = cut(textOf(cell), room, '…', isLast ? 0 : Math.floor((room - 1) / 2));
      const shown = typeof cell === 'string' ? text : cell.paint(text);
      return isLast ? shown : shown + ' '.repeat(room - width(text));
    });
    return cells.join(GAP).trimEnd();
  });
  return lines.join('\n');
}

function textOf(cell: Cell): string {
  const text = typeof cell === 'string' ? cell : cell.text;
  return printable(text.replaceAll(/[\n\t]/g, ' '));
}

/** @param tail the number of columns for the end of the text. */
export function cut(text: string, most: number, mark = '…', tail = 0): string {
  const columns = width(text);
  if (columns <= most) return text;
  const end = tail > 0 ? sliceAnsi(text, columns - tail) : '';
  return `${sliceAnsi(text, 0, Math.max(0, most - mark.length - tail))}${mark}${end}`;
}
