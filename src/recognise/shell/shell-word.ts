import { MANY } from './unknown.ts';

/**
 * A word as shell text that reads back as the same word. Only for texts that this recogniser reads
 * again; nothing is ever run.
 */
export function shellWord(word: string): string {
  if (word === MANY || /^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
