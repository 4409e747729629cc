/** The commands of a command line, for permission rules that know single commands only. */

const QUOTES = new Set(['"', "'"]);
const OPERATOR = /^(?:&&|\|\||[;|&\n])/;

/**
 * Cuts at `&&`, `||`, `;`, `|`, `&` and line ends outside quotes. No parser of a shell: what it does
 * not understand stays in one piece, and a rule that matches nothing allows nothing.
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
