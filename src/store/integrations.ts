import { is, type Row, type RowOf, rowFormat, tableStore } from './rows.ts';

export type IntegrationState =
  | ('queued' | 'merged' | 'validating') // an integration is, or was, working on it
  | ('integrated' | 'landed')
  | ('conflict' | 'culprit' | 'withdrawn');

/** One commit of a lane in the merge queue; each later try has a new epoch. */
export type Integration = RowOf<typeof INTEGRATION>;

const INTEGRATION = rowFormat({
  id: is.text,
  runId: is.text,
  laneId: is.text,
  laneSha: is.text,
  ontoSha: is.orNull(is.text),
  /** The validated commit that became the tip: the same for all lanes of a batch. */
  resultSha: is.orNull(is.text),
  state: is.plain<IntegrationState>(),
  detail: is.text,
  validationId: is.orNull(is.text),
  /** The target's tip with which it has landed; a withdrawn row with one was taken back. */
  landedAs: is.orNull(is.text),
  epoch: is.number,
  at: is.date,
});

export type IntegrationNote = Partial<
  Pick<Integration, 'state' | 'ontoSha' | 'resultSha' | 'detail' | 'validationId' | 'landedAs'>
>;

export const integrationStore = tableStore(INTEGRATION, ({ all, one, writing }) => ({
  /** Queues a commit of a lane for the first time. */
  add: writing<[Pick<Integration, 'id' | 'runId' | 'laneId' | 'laneSha'>, now: Date]>(`
      INSERT INTO integrations (id, run_id, lane_id, lane_sha, state, at)
       VALUES (:id, :runId, :laneId, :laneSha, 'queued', ?)`),
  /** Queues it again; notes of earlier tries no longer count. */
  requeue: writing<[id: string, now: Date]>(`
      UPDATE integrations SET seq = (SELECT max(seq) + 1 FROM integrations), state = 'queued', epoch = epoch + 1, onto_sha = NULL,
              result_sha = NULL, validation_id = NULL, detail = '', at = ?2
        WHERE id = ?1 AND state NOT IN ('integrated', 'landed')`),
  byId: one<[id: string]>('SELECT * FROM integrations WHERE id = ?'),
  ofCommit: one<[laneId: string, laneSha: string]>(`
      SELECT * FROM integrations WHERE lane_id = ? AND lane_sha = ?
        ORDER BY seq DESC LIMIT 1`),
  /** The rows in the order in which they were queued. */
  ofRun: all<[runId: string]>('SELECT * FROM integrations WHERE run_id = ? ORDER BY seq'),
  /** Returns false and notes nothing if it was queued again meanwhile. */
  note({ id, epoch }: Pick<Integration, 'id' | 'epoch'>, note: IntegrationNote): boolean {
    const sql = `UPDATE integrations SET ${INTEGRATION.assignments(note)}
                    WHERE id = :id AND epoch = :epoch`;
    return writing<[Row]>(sql)({ ...note, id, epoch });
  },
}));

/** The trial merge of two commits of a run. */
export type Composition = RowOf<typeof COMPOSITION>;

const COMPOSITION = rowFormat({
  seq: is.number,
  runId: is.text,
  aLaneId: is.text,
  /** `null`: merged with the tip of the integration. */
  bLaneId: is.orNull(is.text),
  aSha: is.text,
  bSha: is.text,
  tree: is.text,
  /** Paths with conflicts that are left, or have no resolution that passes. */
  conflicts: is.json<readonly string[]>(),
  related: is.flag,
  validationId: is.orNull(is.text),
  at: is.date,
});

/** A pair of commits; the lane that was added first comes first. */
export type CompositionKey = Pick<Composition, 'runId' | 'aLaneId' | 'aSha' | 'bSha'>;

const PAIR = 'run_id = :runId AND a_lane_id = :aLaneId AND a_sha = :aSha AND b_sha = :bSha';

export const compositionStore = tableStore(COMPOSITION, ({ all, one, writing }) => ({
  /** Adds a pair; an existing row is kept. */
  add: writing<[Omit<Composition, 'seq'>]>(
    `${COMPOSITION.insert('compositions')} ON CONFLICT DO NOTHING`,
  ),
  find: one<[CompositionKey]>(`SELECT * FROM compositions WHERE ${PAIR}`),
  /** The trials in their order, without the many pairs of lanes that never have to be tried together. */
  notable: all<[runId: string]>(`
      SELECT * FROM compositions
       WHERE run_id = ?1 AND (a_lane_id, coalesce(b_lane_id, '')) IN (
         SELECT a_lane_id, coalesce(b_lane_id, '') FROM compositions
          WHERE run_id = ?1 AND (related = 1 OR conflicts <> '[]' OR validation_id IS NOT NULL))
       ORDER BY seq`),
  /** Stores the result of a pair's validation. */
  judge: writing<[CompositionKey & Pick<Composition, 'tree' | 'conflicts' | 'validationId'>]>(`
      UPDATE compositions SET tree = :tree, conflicts = :conflicts, validation_id = :validationId
       WHERE ${PAIR}`),
}));
