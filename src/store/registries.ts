import type { Store } from './open.ts';

/** Features that only this machine knows, as the JSON of their definition. */
export function localFeatureStore({ db }: Store) {
  const all = db.prepare<[projectId: number], { name: string; definition: string }>(
    'SELECT name, definition FROM features WHERE project_id = ? ORDER BY name',
  );
  const put = db.prepare<[projectId: number, name: string, definition: string, at: number]>(
    `INSERT INTO features (project_id, name, definition, updated_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET definition = excluded.definition, updated_at = excluded.updated_at`,
  );
  const remove = db.prepare<[projectId: number, name: string]>(
    'DELETE FROM features WHERE project_id = ? AND name = ?',
  );
  return {
    all: (projectId: number) => all.all(projectId),
    put(projectId: number, name: string, definition: string, now: Date): void {
      put.run(projectId, name, definition, now.getTime());
    },
    /** False if there was none. */
    remove: (projectId: number, name: string): boolean => remove.run(projectId, name).changes === 1,
  };
}

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
