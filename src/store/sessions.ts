import { tableStore } from './rows.ts';

export interface SessionSeen {
  readonly agent: string;
  readonly id: string;
  readonly projectId: number;
  readonly worktree: string;
  /** The commit that is checked out; `undefined` keeps the stored one. */
  readonly head: string | undefined;
}

/** Conversations of agents, and what each has been shown. */
export const sessionStore = tableStore(null, ({ rows, value, writing }) => {
  const seen = writing<[SessionSeen & { now: Date }]>(`
     INSERT INTO sessions (agent, id, project_id, worktree, head, started_at, seen_at, seq)
     VALUES (:agent, :id, :projectId, :worktree, :head, :now, :now,
             1 + coalesce((SELECT max(seq) FROM sessions), 0))
     ON CONFLICT DO UPDATE SET worktree = excluded.worktree, seen_at = excluded.seen_at, seq = excluded.seq,
       head = coalesce(excluded.head, head), ended_at = NULL, end_reason = NULL`);
  return {
    seen: (session: SessionSeen, now: Date) => seen({ ...session, now }),
    /** The commit that was checked out when git last read this tree for the session. */
    lastHead: value<[agent: string, id: string, worktree: string], string>(
      'SELECT head FROM sessions WHERE agent = ? AND id = ? AND worktree = ? AND head IS NOT NULL',
    ),
    /** Sessions that edited or said something, the last one first. `last`: milliseconds. */
    lastAtWork: rows<
      [projectId: number, limit: number],
      { agent: string; session: string; last: number }
    >(
      `SELECT agent, id AS session, seen_at AS last FROM sessions WHERE project_id = ?
          AND EXISTS (SELECT 1 FROM observations
            WHERE agent = sessions.agent AND session = sessions.id AND kind IN ('edit', 'stop'))
        ORDER BY seq DESC LIMIT ?`,
    ),
    /** How many there are, 1,000 at most. */
    count: value<[projectId: number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM sessions WHERE project_id = ? LIMIT 1000)',
    ),
    end: writing<[agent: string, id: string, reason: string, now: Date]>(
      'UPDATE sessions SET ended_at = ?4, end_reason = ?3 WHERE agent = ?1 AND id = ?2',
    ),
    /** True only the first time: the subject then has to be shown. */
    firstShowing: writing<[session: string, subject: string, now: Date]>(
      'INSERT INTO injections (session, subject, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    /** True if the subject was not shown within `everyMs`; it then counts as shown now. */
    dueShowing: writing<[session: string, subject: string, everyMs: number, now: Date]>(`
      INSERT INTO injections (session, subject, at) VALUES (?1, ?2, ?4)
         ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at - at >= ?3`),
  };
});
