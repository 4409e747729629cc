/**
 * Whether the part of a file that a note is about is unchanged: the lines that it mentions, wherever they are now, or
 * the whole file if it mentions no place in it.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import { blobId } from '../base/git/tree-entry.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { RecallItem } from '../store/recall.ts';
import { declarationsIn } from './code/declarations.ts';
import { wordsOf } from './words.ts';

export interface Drift {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

/** Larger files are no source code: no note is bound to them. */
const LARGEST = 4_000_000;
/** A note has at most so many files, because all of them are read before it is told. */
export const MOST_FILES = 100;
/** Lines before and after the mentioned one. */
const AROUND = 3;
/** A file of notes may name any number of lines, but a place has one to seven. */
const LINES = /^lines:([1-7]):(\w+)$/;
/** A word that occurs in more lines does not mark a place. */
const MOST_LINES = 3;

function contentOf(root: string, path: string): Buffer | undefined {
  const file = join(root, path);
  if (!isInside(root, file)) return undefined;
  return attempt(() => {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= LARGEST ? readFileSync(file) : undefined;
  });
}

const linesOf = (content: Buffer): string[] =>
  content
    .toString('utf8')
    .split('\n')
    .map((it) => it.trim());

const digestOf = (lines: readonly string[]): string => sha256(lines.join('\n')).slice(0, 12);

/** @param said the text of the note. */
export function anchorsOf(
  root: string,
  files: readonly string[],
  said: string,
): Record<string, string> {
  const found = files.flatMap((path) => {
    const content = contentOf(root, path);
    return content === undefined ? [] : [[path, anchorOf(path, content, said)] as const];
  });
  return Object.fromEntries(found);
}

function anchorOf(path: string, content: Buffer, said: string): string {
  const lines = linesOf(content);
  const line = lineOf(path, content.toString('utf8'), said);
  if (line === undefined) return blobId(content);
  const spoken = lines.slice(Math.max(0, line - 1 - AROUND), line + AROUND);
  // Empty lines stand in nearly every file.
  if (spoken.every((it) => it === '')) return blobId(content);
  return `lines:${spoken.length}:${digestOf(spoken)}`;
}

/** The line that the note names, or that declares a name in the note, or that has most of its rare words. */
export function lineOf(path: string, text: string, said: string): number | undefined {
  const named = Number(said.split(`${basename(path)}:`)[1]?.match(/^\d+/)?.[0]);
  if (named >= 1 && named <= text.split('\n').length) return named;
  const names = new Set(said.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  const declared = declarationsIn(path, text).find(({ name }) => names.has(name));
  if (declared !== undefined) return declared.line;
  const asked = new Set(wordsOf(said).filter((it) => it.length > 2));
  const having = text.split('\n').map((it) => new Set(wordsOf(it).filter((w) => asked.has(w))));
  const counts = new Map<string, number>();
  for (const word of having.flatMap((it) => [...it])) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rare = having.map(
    (it) => [...it].filter((word) => (counts.get(word) ?? 0) <= MOST_LINES).length,
  );
  const most = rare.reduce((a, b) => Math.max(a, b), 0);
  return most === 0 ? undefined : rare.indexOf(most) + 1;
}

export function driftOf(root: string, { anchors }: Pick<RecallItem, 'anchors'>): Drift {
  const changed: string[] = [];
  const gone: string[] = [];
  for (const [path, was] of Object.entries(anchors ?? {}).slice(0, MOST_FILES)) {
    const content = contentOf(root, path);
    if (content === undefined) gone.push(path);
    else if (!stands(content, was)) changed.push(path);
  }
  return { changed, gone };
}

/** A note that may no longer be true is told to nobody before somebody confirms it. */
export function isOutdated(root: string, item: Pick<RecallItem, 'anchors'>): boolean {
  const { changed, gone } = driftOf(root, item);
  return changed.length + gone.length > 0;
}

/** Those of the anchors that the file has; none if it is empty. Each part of it is digested once for all of them. */
export function anchorsAt(
  root: string,
  path: string,
  wanted: ReadonlySet<string>,
): ReadonlySet<string> {
  const content = contentOf(root, path);
  if (content === undefined || content.length === 0) return new Set();
  const lines = linesOf(content);
  const counts = new Set([...wanted].flatMap((it) => LINES.exec(it)?.[1] ?? []));
  const parts = [...counts].flatMap((count) =>
    lines.map((_, at) => `lines:${count}:${digestOf(lines.slice(at, at + Number(count)))}`),
  );
  return new Set([blobId(content), ...parts]).intersection(wanted);
}

function stands(content: Buffer, was: string): boolean {
  const [, count, digest] = LINES.exec(was) ?? [];
  if (count === undefined) return blobId(content) === was;
  const lines = linesOf(content);
  return lines.some((_, at) => digestOf(lines.slice(at, at + Number(count))) === digest);
}
