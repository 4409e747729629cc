import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A ref whose push was held, and has not gone through since. */
export type HeldPush = RowOf<typeof HELD_PUSH>;

const HELD_PUSH = rowFormat({
  /** Name of the remote, or its address if it has none. */
  remote: is.text,
  /** Full name of the ref at the remote. */
  destination: is.text,
  /** Full name of the local ref, or a commit. */
  source: is.text,
  features: is.json<readonly { readonly name: string; readonly fingerprint: string }[]>(),
  at: is.date,
});

export const heldPushStore = tableStore(HELD_PUSH, ({ all, writing }) => ({
  put: writing<[HeldPush & { projectId: number }]>(
    `INSERT OR REPLACE INTO held_pushes (project_id, ${HELD_PUSH.names})
     VALUES (:projectId, ${HELD_PUSH.values})`,
  ),
  settle: writing<[projectId: number, remote: string, destination: string]>(
    'DELETE FROM held_pushes WHERE project_id = ? AND remote = ? AND destination = ?',
  ),
  /** The last one that was held first. */
  ofProject: all<[projectId: number]>(
    'SELECT * FROM held_pushes WHERE project_id = ? ORDER BY at DESC, remote, destination',
  ),
}));
