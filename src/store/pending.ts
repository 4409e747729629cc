import type { Store } from './open.ts';

type PendingRow = {
  feature: string;
  session: string;
  path: string;
  edits: number;
  first_at: number;
  last_at: number;
};

/** A feature that was seen to be touched in a working tree. */
export interface PendingNote {
  readonly feature: string;
  /** The session that touched it last. */
  readonly session: string;
  /** The file touched last, relative to the root. */
  readonly path: string;
  readonly edits: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface Touch {
  readonly projectId: number;
  readonly worktree: string;
  readonly feature: string;
  readonly session: string;
  readonly path: string;
}

export function pendingStore({ db }: Store) {
  const touch = db.prepare<Touch & { at: number }>(
    `INSERT INTO pending (project_id, worktree, feature, session, path, edits, first_at, last_at)
     VALUES (:projectId, :worktree, :feature, :session, :path, 1, :at, :at)
     ON CONFLICT DO UPDATE SET session = excluded.session, path = excluded.path,
       edits = edits + 1, last_at = excluded.last_at`,
  );
  const all = db.prepare<[projectId: number, worktree: string], PendingRow>(
    `SELECT feature, session, path, edits, first_at, last_at FROM pending
      WHERE project_id = ? AND worktree = ? ORDER BY feature`,
  );
  const settle = db.prepare<[projectId: number, worktree: string, feature: string]>(
    'DELETE FROM pending WHERE project_id = ? AND worktree = ? AND feature = ?',
  );
  return {
    touch(it: Touch, now: Date): void {
      touch.run({ ...it, at: now.getTime() });
    },
    all: (projectId: number, worktree: string): PendingNote[] =>
      all.all(projectId, worktree).map(toNote),
    /** Forgets a note whose feature holds nothing back any more. */
    settle(projectId: number, worktree: string, feature: string): void {
      settle.run(projectId, worktree, feature);
    },
  };
}

function toNote({ first_at, last_at, ...row }: PendingRow): PendingNote {
  return { ...row, firstAt: new Date(first_at), lastAt: new Date(last_at) };
}
