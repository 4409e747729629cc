/** Fits text to the width of a terminal. */
import visible from 'string-width';

/** Matches words. A command is one word: in backticks, or from an indent or a colon to the end of its line. */
const WORDS =
  / *(?:- )?(?:[^ `]*`[^`]*`[^ `]*|(?<=^ +|:\S{0,6} )(?:lanehold (?!holds)|git (?:add|commit|push) ).*|[^ ]+)/g;

/** Matches the words of a command; quoted text, and an option with its value, stay together. */
const COMMAND_WORDS = / *(?:- )?(?:--?[\w-]+ (?!-))?(?:'[^']*'|"[^"]*"|[^ ])+/g;

const PROGRAM = /^\W*(?:lanehold|git|node|np[mx]) /;

/** The start of a line before its text: an indent, or a label in a column of labels. */
const BEGIN = /^ *(?:[A-Za-z ]{1,11} {2,})?/;

/**
 * Breaks longer lines at spaces. A command is first put on a line of its own, and then broken in a way that a shell
 * joins again; a word is never broken.
 */
export function fitted(text: string, columns: number | undefined): string {
  // A terminal that does not know its size reports 0.
  if (!columns) return text;
  return text
    .split('\n')
    .flatMap((line) => (visible(line) <= columns ? [line] : broken(line, columns)))
    .join('\n');
}

function broken(line: string, columns: number): string[] {
  const begin = BEGIN.exec(line)?.[0] ?? '';
  const isColumn = begin.trim() !== '' || begin.length > 8;
  const indent = isColumn ? ' '.repeat(begin.length) : `${begin}  `;
  const lines: string[] = [];
  const words: string[] = [];
  const start = () => (lines.length === 0 ? begin : indent);
  const flush = () => lines.push(...filled(words.splice(0), { columns, start: start(), indent }));
  for (const word of (' '.repeat(begin.length) + line.slice(begin.length)).match(WORDS) ?? []) {
    const parts = word.match(COMMAND_WORDS) ?? [];
    if (parts.length < 2 || visible(indent + word.trimStart()) <= columns) words.push(word);
    else {
      flush();
      const deeper = ' '.repeat(start().length + 2);
      // Output of other programs has backticks, too.
      const joint = PROGRAM.test(word) ? ' \\' : '';
      lines.push(...filled(parts, { columns, start: start(), indent: deeper, joint }));
    }
  }
  flush();
  return lines;
}

interface Form {
  readonly columns: number;
  /** The start of the first line, and of the others. */
  readonly start: string;
  readonly indent: string;
  /** The end of a line that continues. */
  readonly joint?: string;
}

/** Lines with as many words as fit. */
function filled(words: readonly string[], { columns, start, indent, joint = '' }: Form): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.pop();
    if (last === undefined) lines.push(start + word.trimStart());
    else if (visible(last + word) <= columns - joint.length) lines.push(last + word);
    else lines.push(last + joint, indent + word.trimStart());
  }
  return lines;
}
