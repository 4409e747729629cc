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
  /** The time when it was last held. */
  at: is.date,
  firstAt: is.date,
  /** How often it was held. */
  tries: is.number,
});

type NewHeldPush = Omit<HeldPush, 'firstAt' | 'tries'> & { readonly projectId: number };

export const heldPushStore = tableStore(HELD_PUSH, ({ all, writing }) => ({
  put: writing<[NewHeldPush]>(
    `INSERT INTO held_pushes (project_id, remote, destination, source, features, at, first_at)
     VALUES (:projectId, :remote, :destination, :source, :features, :at, :at)
     ON CONFLICT DO UPDATE SET source = excluded.source, features = excluded.features,
       at = excluded.at, tries = tries + 1`,
  ),
  settle: writing<[projectId: number, remote: string, destination: string]>(
    'DELETE FROM held_pushes WHERE project_id = ? AND remote = ? AND destination = ?',
  ),
  /** The pushes, the last one first. */
  ofProject: all<[projectId: number]>(
    'SELECT * FROM held_pushes WHERE project_id = ? ORDER BY at DESC, remote, destination',
  ),
}));
