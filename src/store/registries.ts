import type { Store } from './open.ts';
import { tableStore } from './rows.ts';

/** Features that only this machine knows, as the JSON of their definition. */
export const localFeatureStore = tableStore(null, ({ rows, writing }) => ({
  all: rows<[projectId: number], { name: string; definition: string }>(
    'SELECT name, definition FROM features WHERE project_id = ? ORDER BY name',
  ),
  put: writing<[projectId: number, name: string, definition: string, now: Date]>(`
      INSERT INTO features (project_id, name, definition, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET definition = excluded.definition, updated_at = excluded.updated_at`),
  /** False if there was none. */
  remove: writing<[projectId: number, name: string]>(
    'DELETE FROM features WHERE project_id = ? AND name = ?',
  ),
}));

/**
 * The last valid lanehold.json of each working tree, and the user's config.json under its own path,
 * with what validation made of it.
 */
export const registryFileStore = tableStore(null, ({ value, writing }) => ({
  find: value<[worktree: string, source: string], string>(
    'SELECT normalised FROM registry_files WHERE worktree = ? AND source = ?',
  ),
  put: writing<[worktree: string, source: string, normalised: string]>(`
      INSERT INTO registry_files (worktree, source, normalised) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET source = excluded.source, normalised = excluded.normalised`),
}));

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
