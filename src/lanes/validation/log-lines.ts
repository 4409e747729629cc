/** The lines of a log as shown on a screen: without colours and overwritten text. */
import { createReadStream } from 'node:fs';

/** The rest of a longer line is ignored. */
const MAX_LINE_CHARS = 16_384;

/** Cursor and colour commands, titles and links of a terminal. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** Calls back for each line in order; holds only a piece of the file in memory. */
export async function eachLineOf(file: string, onLine: (text: string) => void): Promise<void> {
  const splitter = lineSplitter(onLine);
  for await (const piece of createReadStream(file, { encoding: 'utf8' })) splitter.push(piece);
  splitter.end();
}

export function eachLine(text: string, onLine: (text: string) => void): void {
  const splitter = lineSplitter(onLine);
  splitter.push(text);
  splitter.end();
}

function lineSplitter(onLine: (text: string) => void) {
  let rest = '';
  const keep = (text: string): void => {
    if (rest.length < MAX_LINE_CHARS) rest += text.slice(0, MAX_LINE_CHARS - rest.length);
  };
  const emit = (): void => {
    onLine(shown(rest));
    rest = '';
  };
  return {
    push(piece: string): void {
      let start = 0;
      for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', start)) {
        keep(piece.slice(start, end));
        emit();
        start = end + 1;
      }
      keep(piece.slice(start));
    },
    end(): void {
      if (rest !== '') emit();
    },
  };
}

function shown(line: string): string {
  const plain = line.includes('\u001b') ? line.replaceAll(ESCAPES, '') : line;
  const visible = plain.trimEnd();
  return visible.slice(visible.lastIndexOf('\r') + 1);
}
