import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** What changed a file of a feature, as far as it is known. */
export type Cause =
  /** An editing tool of an agent. */
  | 'edit'
  /** A shell command of an agent; `command` names its programs. */
  | 'command'
  /** Unknown: a comparison by git found the change. */
  | 'git';

/** A feature that was touched in a working tree and has not been settled since. */
export type PendingVerification = RowOf<typeof PENDING>;

const PENDING = rowFormat({
  /** Absolute root of the working tree. */
  worktree: is.text,
  feature: is.text,
  /** A changed file that concerns the feature, relative to the root. */
  path: is.text,
  cause: is.plain<Cause>(),
  /** Names of the programs that the command ran; `null` for other causes. */
  command: is.orNull(is.text),
  /** Empty where the cause is `git`, like `session`. */
  agent: is.text,
  session: is.text,
  edits: is.number,
  firstAt: is.date,
  lastAt: is.date,
});

export type Touch = Omit<PendingVerification, 'edits' | 'firstAt' | 'lastAt'> & {
  readonly projectId: number;
};

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
    /** The pending features in all working trees, by path and name. */
    ofProject: all<[projectId: number]>(
      'SELECT * FROM pending WHERE project_id = ? ORDER BY worktree, feature',
    ),
    ofWorktree: all<[projectId: number, worktree: string]>(
      'SELECT * FROM pending WHERE project_id = ? AND worktree = ? ORDER BY feature',
    ),
    /** The feature is verified, waived, or equal to what others have. */
    settle: writing<[projectId: number, worktree: string, feature: string]>(
      'DELETE FROM pending WHERE project_id = ? AND worktree = ? AND feature = ?',
    ),
  };
});
