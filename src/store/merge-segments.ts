/** Keeps the full-text indexes fast: they are written in segments, and a query reads all of these. */
import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from '../base/errors.ts';
import type { Store } from './open.ts';

export const INDEXES = ['item_words', 'code_words', 'commit_words'] as const;

const MOST_SEGMENTS = 4;
/** The pages that are merged in one write. */
const PAGES = 100;

/** Merges the segments of the indexes, in short writes: other processes can write between them. */
export async function mergeSegments({ db, write }: Store): Promise<void> {
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  for (const index of INDEXES) {
    const segments = db.prepare<[], number>(`SELECT count(DISTINCT segid) FROM ${index}_idx`);
    if ((segments.pluck().get() ?? 0) <= MOST_SEGMENTS) continue;
    const merge = db.prepare<[number]>(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`);
    const changed = (pages: number): number => {
      const before = changes.get() ?? 0;
      merge.run(pages);
      return (changes.get() ?? 0) - before;
    };
    // A negative number begins with all segments; a step that finds nothing to do makes at most one change.
    for (let pages = -PAGES; write(() => changed(pages)) > 1; pages = PAGES) await pause(1);
  }
}

/** Empties all indexes if one is damaged. @returns whether their rows have to be indexed again. */
export function emptyIfDamaged({ db, write }: Store): boolean {
  const order = (index: string, what: 'integrity-check' | 'delete-all') =>
    db.prepare<[string]>(`INSERT INTO ${index} (${index}) VALUES (?)`).run(what);
  // A check waits for the writes of others, as long as a write: that it may not begin is no damage.
  return write(() => {
    if (INDEXES.every((it) => attempt(() => order(it, 'integrity-check')))) return false;
    for (const it of INDEXES) order(it, 'delete-all');
    return true;
  });
}
