/** What a model makes of the texts of items and turns; a turn has the negative number of its first observation. */
import { tableStore } from './rows.ts';

interface StoredVector {
  readonly piece: number;
  readonly projectId: number | null;
  readonly model: string;
  /** One signed byte for each dimension. */
  readonly vector: Buffer;
}

export const vectorStore = tableStore(null, ({ column, rows, writing }) => ({
  put: writing<[StoredVector]>(
    `INSERT OR REPLACE INTO vectors (piece, project_id, model, vector)
     VALUES (:piece, :projectId, :model, :vector)`,
  ),
  /** Finds active items and indexed turns without a vector of the model. Summaries need none: their turns have some. */
  missing: column<[projectId: number, model: string], number>(
    `SELECT piece FROM (
       SELECT id AS piece FROM recall_items
        WHERE (project_id = ?1 OR project_id IS NULL) AND status = 'active' AND kind <> 'summary'
       UNION ALL SELECT -id FROM observations
        WHERE project_id = ?1 AND kind IN ('prompt', 'stop')
          AND EXISTS (SELECT 1 FROM item_words WHERE rowid = -observations.id)) AS it
      WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE piece = it.piece AND model = ?2)`,
  ),
  ofProject: rows<[projectId: number, model: string], Pick<StoredVector, 'piece' | 'vector'>>(
    'SELECT piece, vector FROM vectors WHERE (project_id = ?1 OR project_id IS NULL) AND model = ?2',
  ),
}));
