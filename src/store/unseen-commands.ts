import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A command that an agent ran without asking its hook. */
export type UnseenCommand = RowOf<typeof UNSEEN>;

const UNSEEN = rowFormat({
  projectId: is.orNull(is.number),
  agent: is.text,
  /** Empty if it is unknown. */
  session: is.text,
  /** The event that was missed: `session-start` stands for a session in which no hook ran. */
  moment: is.plain<'before-tool' | 'session-start'>(),
  foundBy: is.plain<'git' | 'transcript' | 'after-tool'>(),
  /** Redacted; empty for a whole session. */
  command: is.text,
  at: is.date,
});

export const unseenCommandStore = tableStore(UNSEEN, ({ all, value, writing }) => ({
  /** False if it is already recorded. */
  add: writing<[UnseenCommand]>(`${UNSEEN.insert('unseen_commands')} ON CONFLICT DO NOTHING`),
  /** Commands of any project, newest first. */
  latest: all<[since: Date, limit: number]>(
    'SELECT * FROM unseen_commands WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?',
  ),
  isSilent: value<[agent: string, session: string], number>(
    "SELECT 1 FROM unseen_commands WHERE agent = ? AND session = ? AND moment = 'session-start'",
  ),
  /** The time in milliseconds before which hooks left no traces. */
  tracesBegin: value<[], number>('SELECT at FROM traces_begin'),
}));
