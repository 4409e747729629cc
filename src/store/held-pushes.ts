import { plain, rowFormat, tableStore } from './rows.ts';

/** A ref whose push was held, and has not gone through since. */
export interface HeldPush {
  /** Name of the remote, or its address if it has none. */
  readonly remote: string;
  /** Full name of the ref at the remote. */
  readonly destination: string;
  /** Full name of the local ref, or a commit. */
  readonly source: string;
  readonly features: readonly { readonly name: string; readonly fingerprint: string }[];
  readonly at: Date;
}

const HELD_PUSH = rowFormat<HeldPush>({
  ...plain('remote', 'destination', 'source'),
  features: 'json',
  at: 'date',
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
