/** The files and commands before which a note is told. */
import picomatch from 'picomatch';
import { matcher } from '../features/match.ts';
import type { RecallItem } from '../store/recall.ts';

/** A glob says where a note is told; a path also binds it to what the file contains. */
export const isGlob = (file: string): boolean =>
  file.endsWith('/') || file.startsWith('!') || picomatch.scan(file).isGlob;

/** @param paths relative to the project. */
export function isNoteOf({ files }: Pick<RecallItem, 'files'>, paths: readonly string[]): boolean {
  if (paths.some((path) => files.includes(path))) return true;
  const globs = files.filter(isGlob);
  if (globs.length === 0) return false;
  const { matches } = matcher(globs);
  return paths.some(matches);
}

/**
 * `npm publish` is every command that begins with these words; `*` stands for any characters.
 *
 * @param lines the commands that run, each as its words with a space between.
 */
export function isCommandOf(pattern: string, lines: readonly string[]): boolean {
  const [first = '', ...rest] = pattern.trim().split('*');
  return lines.some((line) => {
    const text = `${line.slice(0, LONGEST).trim()} `;
    if (rest.length === 0) return text.startsWith(`${first} `);
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const [index, piece] of rest.entries()) {
      const isLast = index === rest.length - 1 && piece !== '';
      const found = text.indexOf(isLast ? `${piece} ` : piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return true;
  });
}

const LONGEST = 10_000;
