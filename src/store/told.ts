/** The items that sessions were shown: since their context was last emptied, and ever. */
import { tableStore } from './rows.ts';

interface Told extends Readonly<Record<'agent' | 'session' | 'uid', string>> {
  readonly at: Date;
  readonly tokens: number;
}

export interface ToldRow extends Told {
  readonly projectId: number;
  readonly moment: string;
}

/** Times are in milliseconds. */
export type ToldSessionRow = Readonly<Record<'agent' | 'session', string>> &
  Readonly<Record<'began' | 'tokens' | 'most', number>>;

export type ToldItemRow = Readonly<Record<'agent' | 'session' | 'uid', string>> &
  Readonly<Record<'at' | 'times' | 'opened', number>>;

export const toldStore = tableStore(null, ({ column, rows, value, writing }) => ({
  /** False if the session was shown this state of the item since its context was emptied. */
  show: writing<[Told & { readonly digest: string }]>(
    `INSERT INTO recall_shown (agent, session, uid, digest, at, tokens)
     VALUES (:agent, :session, :uid, :digest, :at, :tokens)
     ON CONFLICT DO UPDATE SET digest = excluded.digest, at = excluded.at, tokens = excluded.tokens
     WHERE digest <> excluded.digest`,
  ),
  /** The state of the item that it was shown. */
  shown: value<[agent: string, session: string, uid: string], string>(
    'SELECT digest FROM recall_shown WHERE agent = ? AND session = ? AND uid = ?',
  ),
  /** The ids of all that it was shown since its context was emptied. */
  shownTo: column<[agent: string, session: string], string>(
    'SELECT uid FROM recall_shown WHERE agent = ? AND session = ?',
  ),
  /** Tokens since its context was emptied. */
  spent: value<[agent: string, session: string], number>(
    'SELECT coalesce(sum(tokens), 0) FROM recall_shown WHERE agent = ? AND session = ?',
  ),
  forgetShown: writing<[agent: string, session: string]>(
    'DELETE FROM recall_shown WHERE agent = ? AND session = ?',
  ),
  add: writing<[ToldRow]>(
    `INSERT INTO recall_told (project_id, agent, session, moment, uid, at, tokens)
     VALUES (:projectId, :agent, :session, :moment, :uid, :at, :tokens)`,
  ),
  /** Records that an agent has looked the item up. */
  open: writing<[uid: string, agent: string]>(
    `UPDATE recall_told SET opened = 1 WHERE id =
       (SELECT id FROM recall_told WHERE uid = ? AND agent = ? ORDER BY id DESC LIMIT 1)`,
  ),
  /** Sessions, the last one first. `most`: at one moment. */
  sessions: rows<[projectId: number, limit: number], ToldSessionRow>(
    `SELECT agent, session, min(at) AS began, sum(tokens) AS tokens, max(tokens) AS most
       FROM (SELECT agent, session, at, sum(tokens) AS tokens, max(id) AS id FROM recall_told
              WHERE project_id = ? GROUP BY agent, session, at, moment)
      GROUP BY agent, session ORDER BY max(id) DESC LIMIT ?`,
  ),
  /** The items that one session was shown, with tokens, in order. */
  ofSession: rows<
    [agent: string, session: string],
    Readonly<Record<'moment' | 'uid', string>> &
      Readonly<Record<'at' | 'tokens' | 'opened', number>>
  >(
    'SELECT moment, uid, at, tokens, opened FROM recall_told WHERE agent = ? AND session = ? ORDER BY id',
  ),
  /** Rules that sessions met: how many did, and the last one with the time. */
  rules: rows<
    [projectId: number],
    Readonly<Record<'uid' | 'agent' | 'session', string>> & Readonly<Record<'at' | 'times', number>>
  >(
    // With max(), SQLite takes the other columns of its row.
    `SELECT uid, agent, session, max(at) AS at, count(DISTINCT agent || ' ' || session) AS times
       FROM recall_told WHERE project_id = ? AND uid GLOB 'lg-*' GROUP BY uid`,
  ),
  items: rows<[projectId: number], ToldItemRow>(
    `SELECT agent, session, uid, min(at) AS at, count(*) AS times, max(opened) AS opened
       FROM recall_told WHERE project_id = ? GROUP BY agent, session, uid`,
  ),
}));
