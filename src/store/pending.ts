import { dates, plain, rowFormat, tableStore } from './rows.ts';

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

const PENDING = rowFormat<PendingVerification>({
  ...plain('feature', 'worktree', 'path', 'cause', 'command', 'agent', 'session', 'edits'),
  ...dates('firstAt', 'lastAt'),
});

export const pendingStore = tableStore(PENDING, ({ all, value, writing }) => {
  const touch = value<[Touch & { now: Date }], number>(`
     INSERT INTO pending (project_id, worktree, feature, path, cause, command, agent, session,
       edits, first_at, last_at)
     VALUES (:projectId, :worktree, :feature, :path, :cause, :command, :agent, :session, 1, :now, :now)
     ON CONFLICT DO UPDATE SET path = excluded.path, cause = excluded.cause,
       command = excluded.command, agent = excluded.agent, session = excluded.session,
       edits = edits + 1, last_at = excluded.last_at
     RETURNING edits`);
  return {
    /** True if the feature was not pending in this working tree before. */
    touch: (it: Touch, now: Date): boolean => touch({ ...it, now }) === 1,
    /** Lists those of all its working trees, in the order of their paths and of the features' names. */
    ofProject: all<[projectId: number]>(
      'SELECT * FROM pending WHERE project_id = ? ORDER BY worktree, feature',
    ),
    ofWorktree: all<[projectId: number, worktree: string]>(
      'SELECT * FROM pending WHERE project_id = ? AND worktree = ? ORDER BY feature',
    ),
    /** The feature is verified, waived, or as others have it. */
    settle: writing<[projectId: number, worktree: string, feature: string]>(
      'DELETE FROM pending WHERE project_id = ? AND worktree = ? AND feature = ?',
    ),
  };
});
