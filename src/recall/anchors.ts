/** Whether the files that a note cites still are what they were when it was written. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
  try {
    const file = join(root, path);
    if (!statSync(file).isFile() || statSync(file).size > LARGEST) return undefined;
    const content = readFileSync(file);
    return blobId(content);
  } catch {
    return undefined;
  }
}

export function anchorsOf(root: string, files: readonly string[]): Record<string, string> {
  const found = files.map((path) => [path, contentOf(root, path)] as const);
  return Object.fromEntries(found.filter((it): it is [string, string] => it[1] !== undefined));
}

export function driftOf(root: string, { anchors }: Pick<RecallItem, 'anchors'>): Drift {
  const seen = Object.entries(anchors ?? {}).map(([path, was]) => ({
    path,
    was,
    is: contentOf(root, path),
  }));
  return {
    changed: seen.filter(({ was, is }) => is !== undefined && is !== was).map(({ path }) => path),
    gone: seen.filter(({ is }) => is === undefined).map(({ path }) => path),
  };
}
