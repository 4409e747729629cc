import { tableStore } from './rows.ts';

/** The time for which a question counts. */
const COUNTS_MS = 10 * 60_000;

/** Questions that hooks have put to a person. Each counts once, and for some minutes. */
export const questionStore = tableStore(null, ({ writing, value }) => {
  // A future time was written before the clock was set back.
  const has = value<[projectId: number, about: string, now: Date], number>(
    `SELECT id FROM questions WHERE project_id = ?1 AND about = ?2
        AND at BETWEEN ?3 - ${COUNTS_MS} AND ?3 + ${COUNTS_MS} LIMIT 1`,
  );
  const remove = writing<[id: number]>('DELETE FROM questions WHERE id = ?');
  const found = (projectId: number, about: readonly string[], now: Date): number[] =>
    about.flatMap((it) => has(projectId, it, now) ?? []);
  const areThere = (projectId: number, about: readonly string[], now: Date): boolean =>
    about.length > 0 && found(projectId, about, now).length === about.length;
  return {
    add: writing<[projectId: number, about: string, now: Date]>(
      'INSERT INTO questions (project_id, about, at) VALUES (?, ?, ?)',
    ),
    removeOlder: writing<[before: Date]>('DELETE FROM questions WHERE at < ?'),
    areThere,
    /** Removes them if all are present. Call it inside a write. */
    take(projectId: number, about: readonly string[], now: Date): boolean {
      if (!areThere(projectId, about, now)) return false;
      for (const id of found(projectId, about, now)) remove(id);
      return true;
    },
  };
});
