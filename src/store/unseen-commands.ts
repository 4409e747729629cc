import { plain, rowFormat, tableStore } from './rows.ts';

/** Something that an agent ran without its hook having been asked. */
export interface UnseenCommand {
  readonly projectId: number | null;
  readonly agent: string;
  /** Empty if it is not known. */
  readonly session: string;
  /** The event that was missed: `session-start` stands for a session in which no hook ran. */
  readonly moment: 'before-tool' | 'session-start';
  readonly foundBy: 'git' | 'transcript' | 'after-tool';
  /** Redacted; empty for a whole session. */
  readonly command: string;
  readonly at: Date;
}

const UNSEEN = rowFormat<UnseenCommand>({
  at: 'date',
  ...plain('projectId', 'agent', 'session', 'moment', 'foundBy', 'command'),
});

export const unseenCommandStore = tableStore(UNSEEN, ({ all, value, writing }) => ({
  /** False if it is known already. */
  add: writing<[UnseenCommand]>(`${UNSEEN.insert('unseen_commands')} ON CONFLICT DO NOTHING`),
  /** Lists those of any project, newest first. */
  latest: all<[since: Date, limit: number]>(
    'SELECT * FROM unseen_commands WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?',
  ),
  isSilent: value<[agent: string, session: string], number>(
    "SELECT 1 FROM unseen_commands WHERE agent = ? AND session = ? AND moment = 'session-start'",
  ),
  /** The time in milliseconds before which hooks left no traces. */
  tracesBegin: value<[], number>('SELECT at FROM traces_begin'),
}));
