import { plain, rowFormat, tableStore } from './rows.ts';

/** The whole working tree of a lane at one moment, saved as a commit under a ref. */
export interface Checkpoint {
  readonly laneId: string;
  readonly attemptId: string;
  readonly seq: number;
  readonly sha: string;
  readonly tree: string;
  readonly files: number;
  readonly reason: string;
  readonly at: Date;
}

const CHECKPOINT = rowFormat<Checkpoint>({
  ...plain('laneId', 'attemptId', 'seq', 'sha', 'tree', 'files', 'reason'),
  at: 'date',
});

export const checkpointStore = tableStore(CHECKPOINT, ({ one, writing }) => ({
  add: writing<[Omit<Checkpoint, 'seq'>]>(`
     INSERT INTO checkpoints (lane_id, attempt_id, seq, sha, tree, files, reason, at)
     SELECT :laneId, :attemptId,
            1 + coalesce((SELECT max(seq) FROM checkpoints
                           WHERE lane_id = :laneId AND attempt_id = :attemptId), 0),
            :sha, :tree, :files, :reason, :at`),
  // Not ordered by time: the clock may have been set back.
  last: one<[laneId: string]>(`
      SELECT c.* FROM checkpoints AS c JOIN attempts AS a ON a.id = c.attempt_id
      WHERE c.lane_id = ? ORDER BY a.n DESC, c.seq DESC LIMIT 1`),
}));
