/** The first view of a terminal, drawn as text. */
import { SIGNS } from '../src/fronts/words/signs.ts';
import { COLUMN, escaped, LINE, MONO, svg } from './svg.ts';

/** Tones that have a colour here, of the sign that a row begins with. */
const COLOURED: readonly string[] = ['need', 'bad', 'good'];

const LEFT = 24;

export function boardPicture(lines: readonly string[]): string {
  const drawn = lines.map((line, at) => {
    if (line === '') return '';
    const text = line.trimStart();
    const x = LEFT + (line.length - text.length) * COLUMN;
    const tone = Object.values(SIGNS).find(({ glyph }) => glyph === text.charAt(0))?.tone ?? '';
    const heading = line === text ? 'heading' : COLOURED.includes(tone) ? tone : 'plain';
    const length = (text.length * COLUMN).toFixed(1);
    return `<text class="${heading}" x="${x}" y="${36 + at * LINE}" textLength="${length}">${escaped(text)}</text>`;
  });
  return svg({
    height: 36 + lines.length * LINE,
    label: 'The first view in a terminal: who needs you, then the lanes, then what would not leave',
    style: `text{font:400 12.5px ${MONO};fill:var(--ink2);white-space:pre}.heading{fill:var(--ink);font-weight:700}.need{fill:var(--need)}.bad{fill:var(--bad)}.good{fill:var(--good)}`,
    parts: drawn.filter(Boolean),
  });
}
