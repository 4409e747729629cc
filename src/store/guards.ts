/** Rules about files that people and agents set up. */
import { plain, rowFormat, tableStore } from './rows.ts';

export interface Guard {
  /** What people and agents name it by: `lg-7f3a2c`. */
  readonly uid: string;
  readonly projectId: number;
  /** A path or a glob, relative to the project. */
  readonly files: string;
  readonly rule: string;
  readonly reason: string | null;
  /** Refuses the edit, instead of telling the rule before it. */
  readonly denies: boolean;
  /** `person`, or the name of an agent. */
  readonly by: string;
  readonly at: Date;
}

const GUARD = rowFormat<Guard>({
  ...plain('uid', 'projectId', 'files', 'rule', 'reason', 'by'),
  denies: 'flag',
  at: 'date',
});

export const guardStore = tableStore(GUARD, ({ all, writing }) => ({
  add: writing<[Guard]>(GUARD.insert('guards')),
  /** The oldest first. */
  list: all<[projectId: number]>('SELECT * FROM guards WHERE project_id = ? ORDER BY id'),
  remove: writing<[projectId: number, uid: string]>(
    'DELETE FROM guards WHERE project_id = ? AND uid = ?',
  ),
}));
