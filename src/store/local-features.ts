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
