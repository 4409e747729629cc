import type { Store } from './open.ts';
import { tableStore } from './rows.ts';

/** Row ids of projects by identity (`src/git/project.ts`); ids never leave the store's users. */
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
export function hasOpenRun({ db }: Pick<Store, 'db'>, projectId: number): boolean {
  const open = db.prepare<[projectId: number], { 1: number }>(
    `SELECT 1 FROM runs WHERE project_id = ? AND intent IN ('active', 'paused') LIMIT 1`,
  );
  return open.get(projectId) !== undefined;
}
