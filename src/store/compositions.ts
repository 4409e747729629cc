import { preparedOnce, type Store } from './open.ts';

/** What two commits of a run give together. */
export interface Composition {
  readonly seq: number;
  readonly runId: string;
  readonly aLaneId: string;
  /** `null`: the other one is the tip of the integration. */
  readonly bLaneId: string | null;
  readonly aSha: string;
  readonly bSha: string;
  readonly tree: string;
  /** Paths that the two do not agree on. */
  readonly conflicts: readonly string[];
  /** Worth a validation of the two together. */
  readonly related: boolean;
  readonly validationId: string | null;
  readonly at: Date;
}

/** A pair of commits, the lane that was added first in front. */
export type CompositionKey = Pick<Composition, 'runId' | 'aLaneId' | 'aSha' | 'bSha'>;

type CompositionRow = {
  seq: number;
  run_id: string;
  a_lane_id: string;
  b_lane_id: string | null;
  a_sha: string;
  b_sha: string;
  tree: string;
  conflicts: string;
  related: number;
  validation_id: string | null;
  at: number;
};

export const compositionStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Omit<CompositionRow, 'seq'>>(
    `INSERT INTO compositions (run_id, a_lane_id, b_lane_id, a_sha, b_sha, tree, conflicts, related,
                               validation_id, at)
     VALUES (:run_id, :a_lane_id, :b_lane_id, :a_sha, :b_sha, :tree, :conflicts, :related,
             :validation_id, :at)
     ON CONFLICT DO NOTHING`,
  );
  const find = db.prepare<CompositionKey, CompositionRow>(
    `SELECT * FROM compositions
      WHERE run_id = :runId AND a_lane_id = :aLaneId AND a_sha = :aSha AND b_sha = :bSha`,
  );
  const ofRun = db.prepare<[runId: string], CompositionRow>(
    'SELECT * FROM compositions WHERE run_id = ? ORDER BY seq',
  );
  const setValidation = db.prepare<CompositionKey & { validationId: string }>(
    `UPDATE compositions SET validation_id = :validationId
      WHERE run_id = :runId AND a_lane_id = :aLaneId AND a_sha = :aSha AND b_sha = :bSha`,
  );
  return {
    /** A pair that is on record already stays as it is. */
    add({ aLaneId, bLaneId, ...it }: Omit<Composition, 'seq'>): void {
      add.run({
        run_id: it.runId,
        a_lane_id: aLaneId,
        b_lane_id: bLaneId,
        a_sha: it.aSha,
        b_sha: it.bSha,
        tree: it.tree,
        conflicts: JSON.stringify(it.conflicts),
        related: it.related ? 1 : 0,
        validation_id: it.validationId,
        at: it.at.getTime(),
      });
    },
    find({ runId, aLaneId, aSha, bSha }: CompositionKey): Composition | undefined {
      const row = find.get({ runId, aLaneId, aSha, bSha });
      return row && toComposition(row);
    },
    /** In the order in which they were looked at. */
    ofRun: (runId: string): Composition[] => ofRun.all(runId).map(toComposition),
    setValidation({ runId, aLaneId, aSha, bSha }: CompositionKey, validationId: string): void {
      setValidation.run({ runId, aLaneId, aSha, bSha, validationId });
    },
  };
}

function toComposition(row: CompositionRow): Composition {
  return {
    seq: row.seq,
    runId: row.run_id,
    aLaneId: row.a_lane_id,
    bLaneId: row.b_lane_id,
    aSha: row.a_sha,
    bSha: row.b_sha,
    tree: row.tree,
    conflicts: JSON.parse(row.conflicts),
    related: row.related === 1,
    validationId: row.validation_id,
    at: new Date(row.at),
  };
}
