import { preparedOnce, type Store } from './open.ts';
import { plain, type Row, rowFormat } from './rows.ts';

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

export const checkpointStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Omit<Checkpoint, 'seq' | 'at'> & { at: number }>(
    `INSERT INTO checkpoints (lane_id, attempt_id, seq, sha, tree, files, reason, at)
     SELECT :laneId, :attemptId,
            1 + coalesce((SELECT max(seq) FROM checkpoints
                           WHERE lane_id = :laneId AND attempt_id = :attemptId), 0),
            :sha, :tree, :files, :reason, :at`,
  );
  const last = db.prepare<[laneId: string], Row>(
    // Not ordered by time: the clock may have been set back.
    `SELECT c.* FROM checkpoints AS c JOIN attempts AS a ON a.id = c.attempt_id
      WHERE c.lane_id = ? ORDER BY a.n DESC, c.seq DESC LIMIT 1`,
  );
  return {
    add: (checkpoint: Omit<Checkpoint, 'seq'>): void =>
      void add.run({ ...checkpoint, at: checkpoint.at.getTime() }),
    last: (laneId: string): Checkpoint | undefined => CHECKPOINT.found(last.get(laneId)),
  };
}
