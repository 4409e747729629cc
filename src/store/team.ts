import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A project of this machine that is in a team. */
export type TeamProject = RowOf<typeof PROJECT>;

const PROJECT = rowFormat({
  projectId: is.number,
  board: is.text,
  repo: is.text,
  remote: is.text,
});

/** A record of evidence of this machine. */
const RECORD = rowFormat({ id: is.number, at: is.date });

/** A revision of a shared note, and how the document of a note stands to them. */
const NOTE_REVISION = rowFormat({ digest: is.text, body: is.text, by: is.orNull(is.text) });

export type SharedNote = RowOf<typeof SHARED_NOTE>;

const SHARED_NOTE = rowFormat({
  path: is.text,
  /** Digests of the revisions that the document has been made from. */
  base: is.json<readonly string[]>(),
  /** Digest of the shared part of the document; empty: there is none, or it is to be shared. */
  seen: is.text,
});

export const teamStore = tableStore(PROJECT, ({ all, column, one, rows, writing, value }, of) => ({
  projects: all<[]>('SELECT * FROM team_projects'),
  ofProject: one<[projectId: number]>('SELECT * FROM team_projects WHERE project_id = ?'),
  repos: column<[], string>('SELECT repo FROM team_projects ORDER BY project_id'),
  /** The git directories of a repository's clones on this machine, and the address of their remote. */
  clonesOf: rows<[repo: string], Readonly<Record<'identity' | 'remote', string>>>(
    'SELECT p.identity, t.remote FROM team_projects AS t JOIN projects AS p ON p.id = t.project_id WHERE t.repo = ?',
  ),
  put: writing<[TeamProject]>(
    `INSERT OR REPLACE INTO team_projects (${PROJECT.names}) VALUES (${PROJECT.values})`,
  ),
  /** The newest records of this machine in a project, at most 2,000. */
  recent: of(RECORD).all<[projectId: number, since: Date]>(
    `SELECT id, at FROM evidence WHERE project_id = ? AND source IS NULL AND at >= ?
      ORDER BY id DESC LIMIT 2000`,
  ),
  /** How many records the board has not, of all projects. */
  waiting: value<[since: Date], number>(
    `SELECT count(*) FROM evidence AS e JOIN team_projects USING (project_id)
      WHERE e.source IS NULL AND e.at >= ? AND NOT EXISTS (SELECT 1 FROM team_sent WHERE record_id = e.id)`,
  ),
  /** The board has the record, or is never to get it. */
  addSent: writing<[recordId: number]>('INSERT OR IGNORE INTO team_sent VALUES (?)'),
  dropSent: writing<[recordId: number]>('DELETE FROM team_sent WHERE record_id = ?'),
  noteRevisions: of(NOTE_REVISION).all<[projectId: number]>(
    'SELECT * FROM team_note_revisions WHERE project_id = ?',
  ),
  addNoteRevision: writing<[RowOf<typeof NOTE_REVISION>, projectId: number]>(
    'INSERT OR IGNORE INTO team_note_revisions (digest, body, by, project_id) VALUES (:digest, :body, :by, ?)',
  ),
  sharedNotes: of(SHARED_NOTE).all<[projectId: number]>(
    'SELECT * FROM team_notes WHERE project_id = ?',
  ),
  putSharedNote: writing<[SharedNote, projectId: number]>(
    'INSERT OR REPLACE INTO team_notes (path, base, seen, project_id) VALUES (:path, :base, :seen, ?)',
  ),
  /** As if none had been sent. */
  unsendNotes: writing<[]>("UPDATE team_notes SET base = '[]', seen = ''"),
  leave: writing<[]>('DELETE FROM team_projects'),
  empty: writing<[]>('DELETE FROM team_sent'),
  forgetNotes: writing<[]>('DELETE FROM team_notes'),
  forgetRevisions: writing<[]>('DELETE FROM team_note_revisions'),
}));
