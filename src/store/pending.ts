import type { Store } from './open.ts';

/** What changed a file of a feature, as far as it is known. */
export type Cause =
  /** An editing tool of an agent. */
  | 'edit'
  /** A shell command of an agent; `command` names its programs. */
  | 'command'
  /** Unknown: a comparison by git found the change. */
  | 'git';

export interface Touch {
  readonly projectId: number;
  /** Absolute root of the working tree. */
  readonly worktree: string;
  readonly feature: string;
  /** A changed file that concerns the feature, relative to the root. */
  readonly path: string;
  readonly cause: Cause;
  /** Names of the programs that the command ran; `null` for other causes. */
  readonly command: string | null;
  /** Empty where the cause is `git`, like `session`. */
  readonly agent: string;
  readonly session: string;
}

/** A feature that was touched in a working tree and has not been settled since. */
export interface PendingVerification extends Omit<Touch, 'projectId'> {
  readonly edits: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

type PendingRow = Omit<PendingVerification, 'firstAt' | 'lastAt'> & {
  firstAt: number;
  lastAt: number;
};

const COLUMNS = `feature, worktree, path, cause, command, agent, session, edits,
  first_at AS firstAt, last_at AS lastAt`;

export function pendingStore({ db }: Store) {
  const touch = db.prepare<Touch & { at: number }, { edits: number }>(
    `INSERT INTO pending (project_id, worktree, feature, path, cause, command, agent, session,
       edits, first_at, last_at)
     VALUES (:projectId, :worktree, :feature, :path, :cause, :command, :agent, :session, 1, :at, :at)
     ON CONFLICT DO UPDATE SET path = excluded.path, cause = excluded.cause,
       command = excluded.command, agent = excluded.agent, session = excluded.session,
       edits = edits + 1, last_at = excluded.last_at
     RETURNING edits`,
  );
  const ofProject = db.prepare<[projectId: number], PendingRow>(
    `SELECT ${COLUMNS} FROM pending WHERE project_id = ? ORDER BY worktree, feature`,
  );
  const settle = db.prepare<[projectId: number, worktree: string, feature: string]>(
    'DELETE FROM pending WHERE project_id = ? AND worktree = ? AND feature = ?',
  );
  return {
    /** True if the feature was not pending in this working tree before. */
    touch: (it: Touch, now: Date): boolean => touch.get({ ...it, at: now.getTime() })?.edits === 1,
    /** Of all its working trees, in the order of their paths and of the features' names. */
    ofProject: (projectId: number): PendingVerification[] =>
      ofProject.all(projectId).map(toPending),
    ofWorktree: (projectId: number, worktree: string): PendingVerification[] =>
      ofProject
        .all(projectId)
        .filter((row) => row.worktree === worktree)
        .map(toPending),
    /** The feature is verified, waived, or as others have it. */
    settle(projectId: number, worktree: string, feature: string): void {
      settle.run(projectId, worktree, feature);
    },
  };
}

function toPending({ firstAt, lastAt, ...row }: PendingRow): PendingVerification {
  return { ...row, firstAt: new Date(firstAt), lastAt: new Date(lastAt) };
}
