import { preparedOnce, type Store } from './open.ts';

export type IntegrationState =
  | ('queued' | 'merged' | 'validating') // somebody is at it, or was
  | ('integrated' | 'landed')
  | ('conflict' | 'culprit' | 'withdrawn');

/** One commit of a lane on its way into the integration; a later try is a new epoch of it. */
export interface Integration {
  readonly id: string;
  readonly runId: string;
  readonly laneId: string;
  readonly laneSha: string;
  /** The tip that it was merged onto. */
  readonly ontoSha: string | null;
  /** The commit that was validated and became the tip: the same for all that came in together. */
  readonly resultSha: string | null;
  readonly state: IntegrationState;
  readonly detail: string;
  readonly validationId: string | null;
  readonly epoch: number;
  readonly at: Date;
}

export interface IntegrationNote {
  readonly state?: IntegrationState;
  readonly ontoSha?: string;
  readonly resultSha?: string;
  readonly detail?: string;
  readonly validationId?: string;
}

type IntegrationRow = {
  id: string;
  run_id: string;
  lane_id: string;
  lane_sha: string;
  onto_sha: string | null;
  result_sha: string | null;
  state: IntegrationState;
  detail: string;
  validation_id: string | null;
  epoch: number;
  at: number;
};

export const integrationStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Pick<IntegrationRow, 'id' | 'run_id' | 'lane_id' | 'lane_sha' | 'at'>>(
    `INSERT INTO integrations (id, run_id, lane_id, lane_sha, state, at)
     VALUES (:id, :run_id, :lane_id, :lane_sha, 'queued', :at)`,
  );
  const requeue = db.prepare<[at: number, id: string]>(
    `UPDATE integrations SET state = 'queued', epoch = epoch + 1, onto_sha = NULL,
            result_sha = NULL, validation_id = NULL, detail = '', at = ?
      WHERE id = ? AND state NOT IN ('integrated', 'landed')`,
  );
  const byId = db.prepare<[id: string], IntegrationRow>('SELECT * FROM integrations WHERE id = ?');
  const ofCommit = db.prepare<[laneId: string, laneSha: string], IntegrationRow>(
    `SELECT * FROM integrations WHERE lane_id = ? AND lane_sha = ? ORDER BY at DESC, id DESC LIMIT 1`,
  );
  const ofRun = db.prepare<[runId: string], IntegrationRow>(
    'SELECT * FROM integrations WHERE run_id = ? ORDER BY at, id',
  );
  const note = db.prepare<
    Pick<IntegrationRow, 'id' | 'epoch' | 'onto_sha' | 'result_sha' | 'validation_id'> & {
      state: IntegrationState | null;
      detail: string | null;
    }
  >(
    `UPDATE integrations SET state = coalesce(:state, state), onto_sha = coalesce(:onto_sha, onto_sha),
            result_sha = coalesce(:result_sha, result_sha), detail = coalesce(:detail, detail),
            validation_id = coalesce(:validation_id, validation_id)
      WHERE id = :id AND epoch = :epoch`,
  );
  const one = (row: IntegrationRow | undefined): Integration | undefined =>
    row && toIntegration(row);
  return {
    /** Queues a commit of a lane for the first time. */
    add(it: Pick<Integration, 'id' | 'runId' | 'laneId' | 'laneSha'>, now: Date): void {
      const { id, runId, laneId, laneSha } = it;
      add.run({ id, run_id: runId, lane_id: laneId, lane_sha: laneSha, at: now.getTime() });
    },
    /** Queues it again: what an earlier integrator still wants to note of it counts no more. */
    requeue: (id: string, now: Date): void => void requeue.run(now.getTime(), id),
    byId: (id: string): Integration | undefined => one(byId.get(id)),
    /** The last one of exactly this commit. */
    ofCommit: (laneId: string, laneSha: string): Integration | undefined =>
      one(ofCommit.get(laneId, laneSha)),
    /** In the order in which they were queued. */
    ofRun: (runId: string): Integration[] => ofRun.all(runId).map(toIntegration),
    /** False, and nothing is noted, if it was queued again since. */
    note({ id, epoch }: Pick<Integration, 'id' | 'epoch'>, it: IntegrationNote): boolean {
      const { state = null, detail = null } = it;
      const onto = it.ontoSha ?? null;
      const result = it.resultSha ?? null;
      const validation = it.validationId ?? null;
      const facts = { onto_sha: onto, result_sha: result, validation_id: validation };
      return note.run({ id, epoch, state, detail, ...facts }).changes === 1;
    },
  };
}

function toIntegration(row: IntegrationRow): Integration {
  return {
    id: row.id,
    runId: row.run_id,
    laneId: row.lane_id,
    laneSha: row.lane_sha,
    ontoSha: row.onto_sha,
    resultSha: row.result_sha,
    state: row.state,
    detail: row.detail,
    validationId: row.validation_id,
    epoch: row.epoch,
    at: new Date(row.at),
  };
}
