/**
 * Makes text of unknown origin (a name, a path, a line of output) safe to print: it may contain
 * control sequences that a terminal would execute.
 */

/** Characters that move the cursor, change colours or the direction of writing. */
const COMMANDS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
/** The same, and line ends and invisible characters. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Test tools colour their output even where it goes to a file; a model would read it as noise. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\x1b\[[\d;]*m/g;

/** Several lines: commands to the terminal become escapes (`\x1b[2J`), new lines and tabs stay. */
export function printable(text: string): string {
  return text
    .replaceAll(COLOURS, '')
    .replaceAll(COMMANDS, (it) => (it === '\n' || it === '\t' ? it : escaped(it)));
}

/** Text for use within a line: without line breaks and invisible characters, and cut to a length. */
export function printableLine(text: string, maxChars = 120): string {
  const clean = text.replaceAll(UNSHOWN, escaped);
  if (clean.length <= maxChars) return clean;
  const half = Math.floor((maxChars - 1) / 2);
  const [start, end] = [clean.slice(0, half), clean.slice(clean.length - half)];
  // Do not cut a surrogate pair in half.
  return `${start.replace(/[\ud800-\udbff]$/, '')}…${end.replace(/^[\udc00-\udfff]/, '')}`;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return NAMED[character] ?? `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
