import type { Store } from './open.ts';

/** Row ids of projects by identity (`src/git/project.ts`); ids never leave the store's users. */
export function projectStore({ db }: Store) {
  const find = db.prepare<[identity: string], { id: number }>(
    'SELECT id FROM projects WHERE identity = ?',
  );
  const add = db.prepare<[identity: string, at: number]>(
    'INSERT INTO projects (identity, first_seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  return {
    find: (identity: string): number | undefined => find.get(identity)?.id,
    /** The project's id, made if need be; call it inside a write. */
    ensure(identity: string, now: Date): number {
      const known = find.get(identity)?.id;
      if (known !== undefined) return known;
      add.run(identity, now.getTime());
      return find.get(identity)?.id as number;
    },
  };
}
