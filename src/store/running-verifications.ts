import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A verification that a process runs, or that was running when the process ended. */
export type RunningVerification = RowOf<typeof RUNNING>;

const RUNNING = rowFormat({
  feature: is.text,
  pid: is.number,
  /** The start time of the process, in the system's own unit. */
  start: is.text,
  bootId: is.text,
  at: is.date,
});

export const runningVerificationStore = tableStore(RUNNING, ({ all, writing }) => ({
  put: writing<[RunningVerification & { projectId: number }]>(
    `INSERT OR REPLACE INTO running_verifications (project_id, ${RUNNING.names})
     VALUES (:projectId, ${RUNNING.values})`,
  ),
  remove: writing<[projectId: number, pid: number]>(
    'DELETE FROM running_verifications WHERE project_id = ? AND pid = ?',
  ),
  ofProject: all<[projectId: number]>(
    'SELECT * FROM running_verifications WHERE project_id = ? ORDER BY feature, pid',
  ),
}));
