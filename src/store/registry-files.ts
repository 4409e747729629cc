import type { Store } from './open.ts';

/**
 * The last valid lanehold.json of each working tree, and the user's config.json under its own path,
 * with what validation made of it.
 */
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
export function knowsAnyFeature({ db, home }: Store): boolean {
  const row = db
    .prepare<[config: string], { known: number }>(
      `SELECT EXISTS (SELECT 1 FROM features)
           OR EXISTS (SELECT 1 FROM registry_files WHERE worktree <> ?) AS known`,
    )
    .get(home.config);
  return row?.known === 1;
}
