/** The position up to which each transcript has been read. */
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export type TranscriptFile = RowOf<typeof FILE>;

const FILE = rowFormat({
  agent: is.text,
  file: is.text,
  /** The session, for a sub-agent that of its parent; empty if it is not known yet. */
  session: is.text,
  /** The working folder of the session; empty if it is not known yet. */
  folder: is.text,
  isSub: is.flag,
  /** Milliseconds. */
  began: is.number,
  /** The size of the file and, with `changed`, its time at the last reading. */
  size: is.number,
  changed: is.number,
  position: is.number,
  /** The length and the digest of its beginning. */
  head: is.text,
});

export const transcriptFileStore = tableStore(FILE, ({ all, column, value, writing }) => ({
  ofAgent: all<[agent: string]>('SELECT * FROM transcript_files WHERE agent = ?'),
  /** Adds a file, or replaces its row. */
  put: writing<[TranscriptFile]>(FILE.insert('transcript_files').replace('INSERT', 'REPLACE')),
  /** Makes the whole session be read again. */
  rewind: writing<[agent: string, session: string]>(
    `UPDATE transcript_files SET size = -1, changed = 0, position = 0
      WHERE agent = ? AND session = ?`,
  ),
  /** Whether it was the session of a lane's worker. */
  isOfWorker: value<[agent: string, session: string], number>(
    'SELECT 1 FROM attempts WHERE agent = ? AND session_id = ? LIMIT 1',
  ),
  worktreesOfLanes: column<[], string>(
    `SELECT worktree FROM attempts WHERE worktree IS NOT NULL
     UNION SELECT worktree FROM lanes WHERE worktree IS NOT NULL`,
  ),
}));
