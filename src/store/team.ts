import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A project of this machine that is in a team. */
export type TeamProject = RowOf<typeof PROJECT>;

const PROJECT = rowFormat({
  projectId: is.number,
  board: is.text,
  repo: is.text,
  remote: is.text,
});

/** What is to be said to the board, or was. */
export type OutboxRow = RowOf<typeof OUTBOX>;

const OUTBOX = rowFormat({
  seq: is.number,
  /** Id of the record of evidence. */
  recordId: is.number,
  /** What is sent; `null` until it is signed. The first signature stays. */
  body: is.orNull(is.text),
  /** `null`: to be sent. */
  answer: is.orNull(is.text),
  answeredAt: is.orNull(is.date),
  /** Why it was not sent so far, as a clause. */
  why: is.orNull(is.text),
});

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

export const teamStore = tableStore(PROJECT, ({ all, column, one, writing, value }, of) => ({
  projects: all<[]>('SELECT * FROM team_projects'),
  ofProject: one<[projectId: number]>('SELECT * FROM team_projects WHERE project_id = ?'),
  repos: column<[], string>('SELECT repo FROM team_projects ORDER BY project_id'),
  /** The git directories of a repository's clones on this machine. */
  foldersOf: column<[repo: string], string>(
    'SELECT p.identity FROM team_projects AS t JOIN projects AS p ON p.id = t.project_id WHERE t.repo = ?',
  ),
  put: writing<[TeamProject]>(
    `INSERT OR REPLACE INTO team_projects (${PROJECT.names}) VALUES (${PROJECT.values})`,
  ),
  /** Records of this machine from before the project was in the team. */
  addSince: writing<[projectId: number, since: Date]>(
    `INSERT OR IGNORE INTO team_outbox (project_id, board, fn, record_id, made_at)
     SELECT t.project_id, t.board, 'put_evidence', e.id, e.at FROM evidence e JOIN team_projects t USING (project_id)
      WHERE e.project_id = ?1 AND e.source IS NULL AND e.at >= ?2 ORDER BY e.id`,
  ),
  /** How many wait, of all projects. */
  waiting: value<[], number>('SELECT count(*) FROM team_outbox WHERE answer IS NULL'),
  toSend: of(OUTBOX).all<[projectId: number, limit: number]>(
    'SELECT * FROM team_outbox WHERE project_id = ? AND answer IS NULL ORDER BY seq LIMIT ?',
  ),
  /** The last that the board has taken. */
  taken: of(OUTBOX).all<[projectId: number, limit: number]>(
    `SELECT * FROM team_outbox WHERE project_id = ? AND answer = 'stored' ORDER BY seq DESC LIMIT ?`,
  ),
  note: writing<[OutboxRow]>(
    `UPDATE team_outbox SET body = coalesce(body, :body), answer = :answer, answered_at = :answeredAt, why = :why
      WHERE seq = :seq`,
  ),
  /** What was answered long ago, and what could not be sent for as long. */
  prune: writing<[projectId: number, before: Date]>(
    `DELETE FROM team_outbox WHERE project_id = ?1
        AND ((answer IS NOT NULL AND answered_at < ?2) OR (body IS NULL AND made_at < ?2))`,
  ),
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
  empty: writing<[]>('DELETE FROM team_outbox'),
  forgetNotes: writing<[]>('DELETE FROM team_notes'),
  forgetRevisions: writing<[]>('DELETE FROM team_note_revisions'),
}));
