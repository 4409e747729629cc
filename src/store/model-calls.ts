/** Calls of the model that picks notes: their cost, and the notes that a session has yet to be told. */
import { tableStore } from './rows.ts';

interface ModelCall {
  readonly projectId: number;
  readonly agent: string;
  readonly session: string;
  readonly at: Date;
  /** Of the question; estimated until the answer says how many it were. */
  readonly tokens: number;
}

type CallEnd = Readonly<Record<'id' | 'tokens' | 'cached' | 'said', number>> & {
  readonly problem: string | null;
};

type ModelCost = Readonly<Record<'calls' | 'tokens' | 'cached' | 'said' | 'failed', number>>;

export const modelCallStore = tableStore(null, ({ column, count, row, value, writing }) => {
  const sums = `count(*) AS calls, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cached), 0) AS cached,
    coalesce(sum(said), 0) AS said, count(problem) AS failed`;
  return {
    /** Returns its id. A call counts from its start, because one that is killed has cost tokens too. */
    add: count<[ModelCall]>(
      `INSERT INTO model_calls (project_id, agent, session, at, tokens)
       VALUES (:projectId, :agent, :session, :at, :tokens) RETURNING id`,
    ),
    end: writing<[CallEnd]>(
      `UPDATE model_calls SET tokens = :tokens, cached = :cached, said = :said, problem = :problem
        WHERE id = :id`,
    ),
    keepPicked: writing<[id: number, picked: readonly string[]]>(
      'UPDATE model_calls SET picked = ?2 WHERE id = ?1',
    ),
    /** Lists of uids as JSON, the oldest first. */
    untold: column<[agent: string, session: string], string>(
      'SELECT picked FROM model_calls WHERE agent = ? AND session = ? AND picked IS NOT NULL ORDER BY id',
    ),
    setTold: writing<[agent: string, session: string]>(
      'UPDATE model_calls SET picked = NULL WHERE agent = ? AND session = ? AND picked IS NOT NULL',
    ),
    /** Those of all projects. */
    since: row<[since: Date], ModelCost>(`SELECT ${sums} FROM model_calls WHERE at >= ?`),
    ofProject: row<[projectId: number], ModelCost>(
      `SELECT ${sums} FROM model_calls WHERE project_id = ?`,
    ),
    /** Of the last call since then, if it gave no usable answer. */
    lastProblem: value<[since: Date], string | null>(
      'SELECT problem FROM model_calls WHERE at >= ? ORDER BY id DESC LIMIT 1',
    ),
  };
});
