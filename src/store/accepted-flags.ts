import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A flag of verified work that somebody has looked at. */
export type AcceptedFlag = RowOf<typeof FLAG>;

const FLAG = rowFormat({
  laneId: is.text,
  /** The commit that was looked at. */
  sha: is.text,
  /** The flag with its data. */
  flag: is.text,
  by: is.text,
  at: is.date,
});

export const acceptedFlagStore = tableStore(FLAG, ({ all, writing }) => ({
  /** Accepted flags of the present commits of all lanes of a run. */
  ofRun: all<[runId: string]>(`
    SELECT f.* FROM lanes AS l JOIN accepted_flags AS f ON f.lane_id = l.id AND f.sha = l.head_sha
     WHERE l.run_id = ?`),
  add: writing<[AcceptedFlag]>(`${FLAG.insert('accepted_flags')} ON CONFLICT DO NOTHING`),
  of: all<[laneId: string, sha: string]>(
    'SELECT * FROM accepted_flags WHERE lane_id = ? AND sha = ? ORDER BY flag',
  ),
}));
