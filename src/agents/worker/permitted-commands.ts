/** Commands that a worker may run without being asked, for the permission rules of every agent. */

/** Read-only commands, for agents that have no list of their own. */
export const READING: readonly string[] = [
  'git status',
  'git diff',
  'git log',
  'git show',
  'git ls-files',
  'git blame',
];

/** Options with which those write a file or start a program. */
export const NOT_READING: readonly string[] = ['--output', '--ext-diff', '--textconv'];

/** lanehold checks these by its own rules. */
export const REPORTING: readonly string[] = [
  'lanehold orchestrate report',
  'lanehold orchestrate status',
  'lanehold orchestrate logs',
  'lanehold orchestrate ask',
];

const QUOTES = new Set(['"', "'"]);
const OPERATOR = /^(?:&&|\|\||[;|&\n])/;

/**
 * The commands of a command line, for permission rules that match single commands. Cuts at `&&`,
 * `||`, `;`, `|`, `&` and line ends outside quotes. This is no shell parser: what it does not
 * understand stays in one piece, and a rule that matches nothing allows nothing.
 */
export function simpleCommands(line: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let quote: string | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    const operator =
      quote === undefined ? OPERATOR.exec(line.slice(index, index + 2))?.[0] : undefined;
    if (operator !== undefined) {
      parts.push(part);
      part = '';
      index += operator.length - 1;
      continue;
    }
    quote = quoteAfter(quote, character);
    part += character;
    if (character === '\\' && quote !== "'") {
      index += 1;
      part += line.charAt(index);
    }
  }
  return [...parts, part].map((it) => it.trim()).filter((it) => it !== '');
}

function quoteAfter(quote: string | undefined, character: string): string | undefined {
  if (quote === undefined) return QUOTES.has(character) ? character : undefined;
  return character === quote ? undefined : quote;
}
