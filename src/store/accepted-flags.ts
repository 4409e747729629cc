import { plain, rowFormat, tableStore } from './rows.ts';

/** Somebody has looked at a flag of verified work. */
export interface AcceptedFlag {
  readonly laneId: string;
  /** The commit that was looked at. */
  readonly sha: string;
  /** The flag with its data. */
  readonly flag: string;
  readonly by: string;
  readonly at: Date;
}

const FLAG = rowFormat<AcceptedFlag>({ ...plain('laneId', 'sha', 'flag', 'by'), at: 'date' });

export const acceptedFlagStore = tableStore(FLAG, ({ all, writing }) => ({
  /** Lists those of the present commits of all lanes of a run. */
  ofRun: all<[runId: string]>(`
    SELECT f.* FROM lanes AS l JOIN accepted_flags AS f ON f.lane_id = l.id AND f.sha = l.head_sha
     WHERE l.run_id = ?`),
  add: writing<[AcceptedFlag]>(`${FLAG.insert('accepted_flags')} ON CONFLICT DO NOTHING`),
  of: all<[laneId: string, sha: string]>(
    'SELECT * FROM accepted_flags WHERE lane_id = ? AND sha = ? ORDER BY flag',
  ),
}));
