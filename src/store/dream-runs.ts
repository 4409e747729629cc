/** When a program was asked what to make of sessions, what it cost, and how far it has read. */
import { dates, plain, rowFormat, tableStore } from './rows.ts';

export interface DreamRun {
  readonly projectId: number;
  readonly at: Date;
  /** About four characters each. */
  readonly tokens: number;
  /** Time of the last event of the sessions that were read; `null` while it is at work, or if it failed. */
  readonly readUntil: Date | null;
}

const RUN = rowFormat<DreamRun>({ ...plain('projectId', 'tokens'), ...dates('at', 'readUntil') });

export const dreamRunStore = tableStore(RUN, ({ value, writing }) => ({
  add: writing<[DreamRun]>(RUN.insert('dream_runs')),
  /** Milliseconds; `null` if nothing was read yet. */
  readUntil: value<[projectId: number], number | null>(
    'SELECT max(read_until) FROM dream_runs WHERE project_id = ?',
  ),
  /** Counts those of all projects. */
  tokensSince: value<[since: Date], number>(
    'SELECT coalesce(sum(tokens), 0) FROM dream_runs WHERE at >= ?',
  ),
  last: value<[projectId: number], number>('SELECT max(id) FROM dream_runs WHERE project_id = ?'),
  end: writing<[id: number, tokens: number, readUntil: Date | null]>(
    'UPDATE dream_runs SET tokens = ?2, read_until = ?3 WHERE id = ?1',
  ),
}));
