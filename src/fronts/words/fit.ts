/** Text for a terminal of a certain width. */
import visible from 'string-width';

/** A command counts as one word: in backticks, or from an indent or a colon to the end of its line. */
const WORDS =
  / *(?:- )?(?:[^ `]*`[^`]*`[^ `]*|(?<=^ +|:\S{0,6} )(?:lanehold (?!holds)|git (?:add|commit|push) ).*|[^ ]+)/g;

/** The words of a command; what is quoted, and an option with its value, stay together. */
const COMMAND_WORDS = / *(?:- )?(?:--?[\w-]+ (?!-))?(?:'[^']*'|"[^"]*"|[^ ])+/g;

const PROGRAM = /^\W*(?:lanehold|git|node|np[mx]) /;

/** What a line begins with before its text: an indent, or a label of a column of labels. */
const BEGIN = /^ *(?:[A-Za-z ]{1,11} {2,})?/;

/**
 * Breaks longer lines at spaces. A command goes to a line of its own first, and is then broken the way
 * a shell joins again; a word is never broken.
 */
export function fitted(text: string, columns: number | undefined): string {
  // A terminal that does not know its size says 0.
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
  /** What the first line begins with, and the others. */
  readonly start: string;
  readonly indent: string;
  /** What a line that goes on ends with. */
  readonly joint?: string;
}

/** As many words in a line as fit. */
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
