/** Draws lines in place on a terminal: a line is written again only when it differs. */
import type { Streams } from './output.ts';

/** Text between these appears at once; terminals that do not know the sequences ignore them. */
const TOGETHER = ['\u001b[?2026h', '\u001b[?2026l'] as const;
const CURSOR = { hidden: '\u001b[?25l', shown: '\u001b[?25h' };

/** The caller ensures that no line is wider than the terminal, and that there are no more lines than it has. */
export function frameOn(stream: Streams['stdout'], cursor: keyof typeof CURSOR = 'hidden') {
  let shown: readonly string[] = [];
  let size = '';
  /** The line of the cursor. */
  let at = 0;
  const moveTo = (line: number): string => {
    const down = line - at;
    at = line;
    return down < 0 ? `\r\u001b[${-down}A` : `\r${'\n'.repeat(down)}`;
  };
  const write = (text: string): void => {
    if (text !== '') stream.write(`${TOGETHER[0]}${text}${TOGETHER[1]}`);
  };
  /** After a change of size, lines may be wrapped, so all are written again. */
  const prepare = (): string => {
    const before = size;
    size = `${stream.columns} ${stream.rows}`;
    if (before === size) return '';
    if (before === '') return CURSOR[cursor];
    [shown, at] = [[], 0];
    return '\u001b[2J\u001b[H';
  };
  const end = (text: string): void => {
    if (size !== '') write(`${text}${CURSOR.shown}`);
    [shown, at, size] = [[], 0, ''];
  };
  return {
    draw(lines: readonly string[]): void {
      let text = prepare();
      for (const [line, wanted] of lines.entries()) {
        if (shown[line] !== wanted) text += `${moveTo(line)}${wanted}\u001b[K`;
      }
      if (shown.length > lines.length) text += `${moveTo(lines.length)}\u001b[J`;
      shown = [...lines];
      write(text);
    },
    /** Keeps what is drawn; the next frame begins below. */
    done: (): void => end(`${moveTo(Math.max(0, shown.length - 1))}\n`),
    /** Removes what is drawn. */
    clear: (): void => end(`${moveTo(0)}\u001b[J`),
  };
}
