/** Divides a source file into pieces with their own index words; a piece begins at a declaration if possible. */
import type { CodePiece } from '../../store/code-index.ts';
import { indexed, indexedPaths } from '../words.ts';
import { declarationsIn } from './declarations.ts';

/** The most lines of a piece, and the fewest if a declaration could begin the next one. */
const MOST_LINES = 80;
const FEWEST_LINES = 40;
const LONGEST_LINE = 500;

/** @param path as it is in the index. */
export function piecesOf(path: string, text: string): CodePiece[] {
  const lines = text.split('\n');
  const declared = declarationsIn(path, text);
  const files = indexedPaths([path]);
  const starts = declared.map(({ line }) => line);
  const pieces: CodePiece[] = [];
  for (let first = 1; first <= lines.length; ) {
    const last = lastLine(first, lines.length, starts);
    const within = declared.filter(({ line }) => line >= first && line <= last);
    const names = [...new Set(within.map(({ name }) => name))];
    const body = lines.slice(first - 1, last).map((it) => it.slice(0, LONGEST_LINE));
    pieces.push({
      firstLine: first,
      lastLine: last,
      symbols: names.join('\n'),
      words: { files, symbols: indexed(names.join(' ')), body: indexed(body.join('\n')) },
    });
    first = last + 1;
  }
  return pieces;
}

function lastLine(first: number, count: number, starts: readonly number[]): number {
  if (count - first < MOST_LINES) return count;
  const next = starts.findLast((line) => line > first + FEWEST_LINES && line <= first + MOST_LINES);
  return next === undefined ? first + MOST_LINES - 1 : next - 1;
}
