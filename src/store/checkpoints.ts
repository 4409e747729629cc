import { preparedOnce, type Store } from './open.ts';

/** The whole working tree of a lane as it was at one moment, kept as a commit under a ref. */
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

type CheckpointRow = {
  lane_id: string;
  attempt_id: string;
  seq: number;
  sha: string;
  tree: string;
  files: number;
  reason: string;
  at: number;
};

export const checkpointStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Omit<CheckpointRow, 'seq'>>(
    `INSERT INTO checkpoints (lane_id, attempt_id, seq, sha, tree, files, reason, at)
     SELECT :lane_id, :attempt_id,
            1 + coalesce((SELECT max(seq) FROM checkpoints
                           WHERE lane_id = :lane_id AND attempt_id = :attempt_id), 0),
            :sha, :tree, :files, :reason, :at`,
  );
  const last = db.prepare<[laneId: string], CheckpointRow>(
    // Not by the time: the clock may have been set back since.
    `SELECT c.* FROM checkpoints AS c JOIN attempts AS a ON a.id = c.attempt_id
      WHERE c.lane_id = ? ORDER BY a.n DESC, c.seq DESC LIMIT 1`,
  );
  return {
    add(checkpoint: Omit<Checkpoint, 'seq'>): void {
      add.run({
        lane_id: checkpoint.laneId,
        attempt_id: checkpoint.attemptId,
        sha: checkpoint.sha,
        tree: checkpoint.tree,
        files: checkpoint.files,
        reason: checkpoint.reason,
        at: checkpoint.at.getTime(),
      });
    },
    last(laneId: string): Checkpoint | undefined {
      const row = last.get(laneId);
      if (row === undefined) return undefined;
      const { lane_id, attempt_id, at, ...rest } = row;
      return { laneId: lane_id, attemptId: attempt_id, at: new Date(at), ...rest };
    },
  };
}
