import type { Store } from './open.ts';

export interface SessionSeen {
  readonly agent: string;
  readonly id: string;
  readonly projectId: number;
  readonly worktree: string;
  /** The commit that is checked out; `undefined` keeps the stored one. */
  readonly head: string | undefined;
}

/** Conversations of agents, and what has been shown in them. */
export function sessionStore({ db }: Store) {
  const seen = db.prepare<Omit<SessionSeen, 'head'> & { head: string | null; at: number }>(
    `INSERT INTO sessions (agent, id, project_id, worktree, head, started_at, seen_at)
     VALUES (:agent, :id, :projectId, :worktree, :head, :at, :at)
     ON CONFLICT DO UPDATE SET worktree = excluded.worktree, seen_at = excluded.seen_at,
       head = coalesce(excluded.head, head), ended_at = NULL, end_reason = NULL`,
  );
  const headOf = db.prepare<[agent: string, id: string, worktree: string], { head: string | null }>(
    'SELECT head FROM sessions WHERE agent = ? AND id = ? AND worktree = ?',
  );
  const end = db.prepare<[at: number, reason: string, agent: string, id: string]>(
    'UPDATE sessions SET ended_at = ?, end_reason = ? WHERE agent = ? AND id = ?',
  );
  const show = db.prepare<[session: string, subject: string, at: number]>(
    'INSERT INTO injections (session, subject, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const lastShown = db.prepare<[session: string, subject: string], { at: number }>(
    'SELECT at FROM injections WHERE session = ? AND subject = ?',
  );
  const showAgain = db.prepare<[session: string, subject: string, at: number]>(
    `INSERT INTO injections (session, subject, at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at`,
  );
  return {
    seen(session: SessionSeen, now: Date): void {
      seen.run({ ...session, head: session.head ?? null, at: now.getTime() });
    },
    /** The commit that was checked out when git was last asked for the session in this tree. */
    lastHead: (agent: string, id: string, worktree: string): string | undefined =>
      headOf.get(agent, id, worktree)?.head ?? undefined,
    end(agent: string, id: string, reason: string, now: Date): void {
      end.run(now.getTime(), reason, agent, id);
    },
    /** True the first time only: the subject has to be shown then. */
    firstShowing: (session: string, subject: string, now: Date): boolean =>
      show.run(session, subject, now.getTime()).changes === 1,
    /** True if the subject was not shown within `everyMs`; then it counts as shown now. */
    dueShowing(session: string, subject: string, everyMs: number, now: Date): boolean {
      const last = lastShown.get(session, subject);
      if (last !== undefined && now.getTime() - last.at < everyMs) return false;
      showAgain.run(session, subject, now.getTime());
      return true;
    },
  };
}
