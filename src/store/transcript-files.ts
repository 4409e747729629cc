/** How far the transcripts of agents have been read. */
import { plain, rowFormat, tableStore } from './rows.ts';

export interface TranscriptFile {
  readonly agent: string;
  readonly file: string;
  /** That of the parent for a sub-agent; empty if it is not known yet. */
  readonly session: string;
  /** The folder that the session works in; empty if it is not known yet. */
  readonly folder: string;
  readonly isSub: boolean;
  /** Milliseconds. */
  readonly began: number;
  /** The size and, with `changed`, the time of the file when it was read. */
  readonly size: number;
  readonly changed: number;
  readonly position: number;
  /** Length and digest of how it begins. */
  readonly head: string;
}

const FILE = rowFormat<TranscriptFile>({
  ...plain('agent', 'file', 'session', 'folder', 'began', 'size', 'changed', 'position', 'head'),
  isSub: 'flag',
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
