/** Projects, the features that only one machine knows, and what was read of their files. */
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import type { Store } from './open.ts';
import { tableStore } from './rows.ts';

/** Row ids of projects by identity (`src/base/git/project.ts`); ids never leave the store's users. */
export const projectStore = tableStore(null, ({ value, writing }) => {
  const find = value<[identity: string], number>('SELECT id FROM projects WHERE identity = ?');
  const add = writing<[identity: string, now: Date]>(
    'INSERT INTO projects (identity, first_seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  return {
    find,
    /** The project's id, made if need be; call it inside a write. */
    ensure(identity: string, now: Date): number {
      const known = find(identity);
      if (known !== undefined) return known;
      add(identity, now);
      return find(identity) as number;
    },
  };
});

/** Whether the project has an open run, which hooks of every session ask: answered by an index. */
export const hasOpenRun = (store: Store, projectId: number): boolean =>
  openRuns(store).any(projectId) !== undefined;

const openRuns = tableStore(null, ({ value }) => ({
  any: value<[projectId: number], number>(
    `SELECT 1 FROM runs WHERE project_id = ? AND intent IN ('active', 'paused') LIMIT 1`,
  ),
}));

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
 * Writes which projects have such features to the file that git's hook reads: it does not open the
 * database. Called in the transaction that changes them, so that the file never has fewer.
 */
export function noteLocalProjects({ db, home }: Store): void {
  const identities = db
    .prepare<[], { identity: string }>(
      'SELECT identity FROM projects WHERE id IN (SELECT project_id FROM features) ORDER BY identity',
    )
    .all();
  const lines = identities.map(({ identity }) => `${identity}\n`);
  replaceFile(home.localFeatures, lines.join(''), { mode: PRIVATE });
}

/**
 * The last valid lanehold.json of each working tree and of what it was compared with, and the user's config.json
 * under its own path, with what validation made of it.
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
