/** Rules about files that people and agents set up. */
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export type Guard = RowOf<typeof GUARD>;

const GUARD = rowFormat({
  /** What people and agents name it by: `lg-7f3a2c`. */
  uid: is.text,
  projectId: is.number,
  /** A path or a glob, relative to the project. */
  files: is.text,
  rule: is.text,
  reason: is.orNull(is.text),
  /** The rule refuses the edit, instead of being shown before it. */
  denies: is.flag,
  /** `person`, or the name of an agent. */
  by: is.text,
  at: is.date,
});

export const guardStore = tableStore(GUARD, ({ all, writing }) => ({
  add: writing<[Guard]>(GUARD.insert('guards')),
  /** The rules of a project, the oldest first. */
  list: all<[projectId: number]>('SELECT * FROM guards WHERE project_id = ? ORDER BY id'),
  remove: writing<[projectId: number, uid: string]>(
    'DELETE FROM guards WHERE project_id = ? AND uid = ?',
  ),
}));
