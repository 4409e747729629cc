/** Whether the files that a note cites still are what they were when it was written. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { blobId } from '../base/git/tree-entry.ts';
import type { RecallItem } from '../store/recall.ts';

export interface Drift {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

/** Larger files are no source: their notes are not bound to them. */
const LARGEST = 4_000_000;

/** The object id that git would give the file as it is; `undefined` if it cannot be read. */
export function contentOf(root: string, path: string): string | undefined {
  return attempt(() => {
    const file = join(root, path);
    const stats = statSync(file);
    return stats.isFile() && stats.size <= LARGEST ? blobId(readFileSync(file)) : undefined;
  });
}

export function anchorsOf(root: string, files: readonly string[]): Record<string, string> {
  const found = files.map((path) => [path, contentOf(root, path)] as const);
  return Object.fromEntries(found.filter((it): it is [string, string] => it[1] !== undefined));
}

export function driftOf(root: string, { anchors }: Pick<RecallItem, 'anchors'>): Drift {
  const changed: string[] = [];
  const gone: string[] = [];
  for (const [path, was] of Object.entries(anchors ?? {})) {
    const is = contentOf(root, path);
    if (is === undefined) gone.push(path);
    else if (is !== was) changed.push(path);
  }
  return { changed, gone };
}
