import { preparedOnce, type Store } from './open.ts';
import { plain, type Row, rowFormat } from './rows.ts';

export type IntegrationState =
  | ('queued' | 'merged' | 'validating') // an integration is, or was, working on it
  | ('integrated' | 'landed')
  | ('conflict' | 'culprit' | 'withdrawn');

/** One commit of a lane in the merge queue; each later try has a new epoch. */
export interface Integration {
  readonly id: string;
  readonly runId: string;
  readonly laneId: string;
  readonly laneSha: string;
  /** The tip that it was merged onto. */
  readonly ontoSha: string | null;
  /** The validated commit that became the tip: the same for all lanes of a batch. */
  readonly resultSha: string | null;
  readonly state: IntegrationState;
  readonly detail: string;
  readonly validationId: string | null;
  readonly epoch: number;
  readonly at: Date;
}

export type IntegrationNote = Partial<
  Pick<Integration, 'state' | 'ontoSha' | 'resultSha' | 'detail' | 'validationId'>
>;

const INTEGRATION = rowFormat<Integration>({
  ...plain('id', 'runId', 'laneId', 'laneSha', 'ontoSha', 'resultSha', 'state', 'detail'),
  ...plain('validationId', 'epoch'),
  at: 'date',
});

export const integrationStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Pick<Integration, 'id' | 'runId' | 'laneId' | 'laneSha'> & { at: number }>(
    `INSERT INTO integrations (id, run_id, lane_id, lane_sha, state, at)
     VALUES (:id, :runId, :laneId, :laneSha, 'queued', :at)`,
  );
  const requeue = db.prepare<[at: number, id: string]>(
    `UPDATE integrations SET state = 'queued', epoch = epoch + 1, onto_sha = NULL,
            result_sha = NULL, validation_id = NULL, detail = '', at = ?
      WHERE id = ? AND state NOT IN ('integrated', 'landed')`,
  );
  const byId = db.prepare<[id: string], Row>('SELECT * FROM integrations WHERE id = ?');
  const ofCommit = db.prepare<[laneId: string, laneSha: string], Row>(
    `SELECT * FROM integrations WHERE lane_id = ? AND lane_sha = ? ORDER BY at DESC, id DESC LIMIT 1`,
  );
  const ofRun = db.prepare<[runId: string], Row>(
    'SELECT * FROM integrations WHERE run_id = ? ORDER BY at, id',
  );
  const note = db.prepare<Row>(
    `UPDATE integrations SET state = coalesce(:state, state), onto_sha = coalesce(:ontoSha, onto_sha),
            result_sha = coalesce(:resultSha, result_sha), detail = coalesce(:detail, detail),
            validation_id = coalesce(:validationId, validation_id)
      WHERE id = :id AND epoch = :epoch`,
  );
  return {
    /** Queues a commit of a lane for the first time. */
    add: (it: Pick<Integration, 'id' | 'runId' | 'laneId' | 'laneSha'>, now: Date): void =>
      void add.run({ ...it, at: now.getTime() }),
    /** Queues it again; notes of earlier tries no longer count. */
    requeue: (id: string, now: Date): void => void requeue.run(now.getTime(), id),
    byId: (id: string): Integration | undefined => INTEGRATION.found(byId.get(id)),
    /** The last row of exactly this commit. */
    ofCommit: (laneId: string, laneSha: string): Integration | undefined =>
      INTEGRATION.found(ofCommit.get(laneId, laneSha)),
    /** In the order in which they were queued. */
    ofRun: (runId: string): Integration[] => ofRun.all(runId).map(INTEGRATION.fromRow),
    /** False, and nothing is noted, if it was queued again meanwhile. */
    note({ id, epoch }: Pick<Integration, 'id' | 'epoch'>, it: IntegrationNote): boolean {
      const unchanged = { state: null, ontoSha: null, resultSha: null };
      const facts = { ...unchanged, detail: null, validationId: null, ...it, id, epoch };
      return note.run(facts).changes === 1;
    },
  };
}
