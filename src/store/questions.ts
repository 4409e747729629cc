import { tableStore } from './rows.ts';

/** What hooks have put before a person. Each counts once, and for some minutes. */
export const questionStore = tableStore(null, ({ writing, value }) => {
  const has = value<[projectId: number, about: string, since: Date, until: Date], number>(
    'SELECT id FROM questions WHERE project_id = ? AND about = ? AND at BETWEEN ? AND ? LIMIT 1',
  );
  const remove = writing<[id: number]>('DELETE FROM questions WHERE id = ?');
  return {
    add: writing<[projectId: number, about: string, now: Date]>(
      'INSERT INTO questions (project_id, about, at) VALUES (?, ?, ?)',
    ),
    removeOlder: writing<[before: Date]>('DELETE FROM questions WHERE at < ?'),
    /** Takes them away if all are there. Call it inside a write. */
    take(projectId: number, about: readonly string[], now: Date): boolean {
      // A time in the future was written before the clock was set back.
      const [since, until] = [-COUNTS_MS, COUNTS_MS].map((it) => new Date(now.getTime() + it));
      const ids = about.map((it) => since && until && has(projectId, it, since, until));
      if (ids.length === 0 || ids.includes(undefined)) return false;
      for (const id of ids) if (id !== undefined) remove(id);
      return true;
    },
  };
});

/** How long a question counts for what follows it. */
const COUNTS_MS = 10 * 60_000;
