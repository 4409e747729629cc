/**
 * Everything that moves a cursor, changes a colour or turns the direction of writing: names, paths
 * and output come from repositories, and a terminal obeys what it is sent. New lines and tabs stay.
 */
const COMMANDS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Shows such characters as escapes: `\x1b[2J`. */
export function printable(text: string): string {
  return text.replaceAll(COMMANDS, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
