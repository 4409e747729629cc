/** How far the transcripts of agents have been read. */
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export type TranscriptFile = RowOf<typeof FILE>;

const FILE = rowFormat({
  agent: is.text,
  file: is.text,
  /** That of the parent for a sub-agent; empty if it is not known yet. */
  session: is.text,
  /** The folder that the session works in; empty if it is not known yet. */
  folder: is.text,
  isSub: is.flag,
  /** Milliseconds. */
  began: is.number,
  /** The size and, with `changed`, the time of the file when it was read. */
  size: is.number,
  changed: is.number,
  position: is.number,
  /** Length and digest of how it begins. */
  head: is.text,
});

export const transcriptFileStore = tableStore(FILE, ({ all, column, value, writing }) => ({
  ofAgent: all<[agent: string]>('SELECT * FROM transcript_files WHERE agent = ?'),
  /** Adds it, or replaces what was noted of it. */
  put: writing<[TranscriptFile]>(FILE.insert('transcript_files').replace('INSERT', 'REPLACE')),
  /** All of the session is read again. */
  rewind: writing<[agent: string, session: string]>(
    `UPDATE transcript_files SET size = -1, changed = 0, position = 0
      WHERE agent = ? AND session = ?`,
  ),
  /** Whether a lane's worker had it. */
  isOfWorker: value<[agent: string, session: string], number>(
    'SELECT 1 FROM attempts WHERE agent = ? AND session_id = ? LIMIT 1',
  ),
  worktreesOfLanes: column<[], string>(
    `SELECT worktree FROM attempts WHERE worktree IS NOT NULL
     UNION SELECT worktree FROM lanes WHERE worktree IS NOT NULL`,
  ),
}));
