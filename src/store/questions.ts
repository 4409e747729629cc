import { tableStore } from './rows.ts';

/** What hooks have put before a person. Each counts once, and for some minutes. */
export const questionStore = tableStore(null, ({ writing, value }) => {
  const has = value<[projectId: number, about: string, since: Date, until: Date], number>(
    'SELECT id FROM questions WHERE project_id = ? AND about = ? AND at BETWEEN ? AND ? LIMIT 1',
  );
  const remove = writing<[id: number]>('DELETE FROM questions WHERE id = ?');
  function found(projectId: number, about: readonly string[], now: Date): number[] {
    // A time in the future was written before the clock was set back.
    const [since, until] = [-COUNTS_MS, COUNTS_MS].map((it) => new Date(now.getTime() + it));
    return about.flatMap((it) => (since && until && has(projectId, it, since, until)) ?? []);
  }
  const areThere = (projectId: number, about: readonly string[], now: Date): boolean =>
    about.length > 0 && found(projectId, about, now).length === about.length;
  return {
    add: writing<[projectId: number, about: string, now: Date]>(
      'INSERT INTO questions (project_id, about, at) VALUES (?, ?, ?)',
    ),
    removeOlder: writing<[before: Date]>('DELETE FROM questions WHERE at < ?'),
    areThere,
    /** Takes them away if all are there. Call it inside a write. */
    take(projectId: number, about: readonly string[], now: Date): boolean {
      if (!areThere(projectId, about, now)) return false;
      for (const id of found(projectId, about, now)) remove(id);
      return true;
    },
  };
});

/** How long a question counts for what follows it. */
const COUNTS_MS = 10 * 60_000;
