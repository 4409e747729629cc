import type { Store } from './open.ts';

/** The last valid lanehold.json of each working tree, with what its validation made of it. */
export function registryFileStore({ db }: Store) {
  const find = db.prepare<[worktree: string, source: string], { normalised: string }>(
    'SELECT normalised FROM registry_files WHERE worktree = ? AND source = ?',
  );
  const put = db.prepare<[worktree: string, source: string, normalised: string]>(
    `INSERT INTO registry_files (worktree, source, normalised) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET source = excluded.source, normalised = excluded.normalised`,
  );
  return {
    find: (worktree: string, source: string): string | undefined =>
      find.get(worktree, source)?.normalised,
    put(worktree: string, source: string, normalised: string): void {
      put.run(worktree, source, normalised);
    },
  };
}

/** True if any project of this machine has features, as far as lanehold has met them. */
export function knowsAnyFeature({ db }: Store): boolean {
  const row = db
    .prepare<[], { known: number }>(
      `SELECT EXISTS (SELECT 1 FROM features) OR EXISTS (SELECT 1 FROM registry_files) AS known`,
    )
    .get();
  return row?.known === 1;
}
