import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A project of this machine that is in a team. */
export type TeamProject = RowOf<typeof PROJECT>;

const PROJECT = rowFormat({
  projectId: is.number,
  board: is.text,
  repo: is.text,
  remote: is.text,
  syncedAt: is.orNull(is.date),
});

/** What is to be said to the board, or was. */
export type OutboxRow = RowOf<typeof OUTBOX>;

const OUTBOX = rowFormat({
  seq: is.number,
  /** Id of the record of evidence. */
  recordId: is.number,
  /** What is sent; `null` until it is signed. */
  body: is.orNull(is.text),
  madeAt: is.date,
  /** Why it was not sent so far, as a clause. */
  why: is.orNull(is.text),
});

export const teamStore = tableStore(PROJECT, ({ one, all, writing }) => ({
  ofProject: one<[projectId: number]>('SELECT * FROM team_projects WHERE project_id = ?'),
  all: all<[]>('SELECT * FROM team_projects ORDER BY project_id'),
  put: writing<[TeamProject]>(
    `INSERT OR REPLACE INTO team_projects (${PROJECT.names}) VALUES (${PROJECT.values})`,
  ),
  noteSync: writing<[at: Date, projectId: number]>(
    'UPDATE team_projects SET synced_at = ? WHERE project_id = ?',
  ),
  removeAll: writing<[]>('DELETE FROM team_projects'),
}));

export const outboxStore = tableStore(OUTBOX, ({ all, value, writing }) => ({
  /** Records of this machine from before the project was in the team. */
  addSince: writing<[projectId: number, since: Date]>(
    `INSERT OR IGNORE INTO team_outbox (project_id, board, fn, record_id, made_at)
     SELECT t.project_id, t.board, 'put_evidence', e.id, e.at FROM evidence e JOIN team_projects t USING (project_id)
      WHERE e.project_id = ?1 AND e.source IS NULL AND e.at >= ?2 ORDER BY e.id`,
  ),
  toSend: all<[projectId: number, limit: number]>(
    'SELECT * FROM team_outbox WHERE project_id = ? AND answer IS NULL ORDER BY seq LIMIT ?',
  ),
  /** How many wait, of all projects. */
  waiting: value<[], number>('SELECT count(*) FROM team_outbox WHERE answer IS NULL'),
  /** Those that the board has taken since, the newest first. */
  takenSince: all<[projectId: number, since: Date, limit: number]>(
    `SELECT * FROM team_outbox WHERE project_id = ? AND answer = 'stored' AND answered_at >= ?
      ORDER BY seq DESC LIMIT ?`,
  ),
  signed: writing<[body: string, seq: number]>(
    'UPDATE team_outbox SET body = ?, why = NULL WHERE seq = ? AND body IS NULL',
  ),
  postponed: writing<[why: string, seq: number]>('UPDATE team_outbox SET why = ? WHERE seq = ?'),
  answered: writing<[answer: string, at: Date, seq: number]>(
    'UPDATE team_outbox SET answer = ?, answered_at = ?, why = NULL WHERE seq = ?',
  ),
  sendAgain: writing<[seq: number]>(
    'UPDATE team_outbox SET answer = NULL, answered_at = NULL WHERE seq = ?',
  ),
  /** What was sent long ago, and what could never be. */
  prune: writing<[projectId: number, before: Date]>(
    `DELETE FROM team_outbox WHERE project_id = ?1
        AND ((answer IS NOT NULL AND answered_at < ?2) OR (body IS NULL AND made_at < ?2))`,
  ),
  removeAll: writing<[]>('DELETE FROM team_outbox'),
}));
