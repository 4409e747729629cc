/** Finds the notes whose files are not what they were at the last look. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import type { Store } from '../store/open.ts';
import { toldStore } from '../store/told.ts';
import { isOutdated } from './anchors.ts';

/** More files are not looked at: it takes too long after each command. */
const MOST_FILES = 2_000;
/** The notes whose files are read. A pull may change those of all notes. */
const MOST_READ = 20;

/** @param anchors JSON by path. */
type BoundNote = Readonly<Record<'uid' | 'anchors', string>>;

/**
 * The ids of these notes; `undefined` if no file has changed.
 *
 * @returns `record`: until it is called, the next look finds the same.
 */
export function lookForDoubts(store: Store, root: string, bound: readonly BoundNote[], at: Date) {
  const told = toldStore(store);
  const uid = `files:${root}`;
  const before: Record<string, string> = JSON.parse(told.shown('', '', uid) ?? '{}');
  const notes = bound.map((it) => ({ ...it, anchors: JSON.parse(it.anchors) }));
  const paths = new Set(notes.flatMap(({ anchors }) => Object.keys(anchors)));
  const files = [...paths].slice(0, MOST_FILES).map((it) => [it, stateOf(join(root, it))] as const);
  const changed = new Set(files.flatMap(([path, now]) => (before[path] === now ? [] : path)));
  if (changed.size === 0) return undefined;
  const found = notes
    .filter(({ anchors }) => Object.keys(anchors).some((it) => changed.has(it)))
    .slice(0, MOST_READ)
    .filter((it) => isOutdated(root, it))
    .map((it) => it.uid);
  const digest = JSON.stringify(Object.fromEntries(files));
  const record = () => told.show({ agent: '', session: '', uid, digest, at, tokens: 0 });
  return { found, record };
}

/** What changes with a file, whoever writes it and whatever the clock says; empty if there is none. */
const stateOf = (file: string): string =>
  attempt(() => {
    const { ino, size, ctimeMs } = statSync(file);
    return `${ino} ${size} ${ctimeMs}`;
  }) ?? '';
