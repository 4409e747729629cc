/** Splits a file that is read in pieces into lines. */
import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut, because an agent's own lines are far shorter. */
const MAX_CHARS = 32 * 1024 * 1024;

export function lineFeed(onLine: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let chars = 0;

  const keep = (text: string): void => {
    chars += text.length;
    if (chars <= MAX_CHARS) pieces.push(text);
    else pieces = [];
  };
  const flush = (): void => {
    if (chars > 0 && chars <= MAX_CHARS) onLine(pieces.join('').replace(/\r$/, ''));
    pieces = [];
    chars = 0;
  };
  const add = (text: string): void => {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      keep(text.slice(start, end));
      flush();
      start = end + 1;
    }
    keep(text.slice(start));
  };

  return {
    push: (piece: Buffer): void => add(decoder.write(piece)),
    /** Call it at the end of the file: text after the last line end is a line, too. */
    end(): void {
      add(decoder.end());
      flush();
    },
  };
}
