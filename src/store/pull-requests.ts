import { json, plain, rowFormat, tableStore } from './rows.ts';

/** Where pull requests go to, and the program of the forge that is logged in there. */
export interface ForgeAddress {
  readonly program: 'gh' | 'glab';
  readonly host: string;
  /** `owner/name`; on GitLab with all groups. */
  readonly repository: string;
  /** The remote that branches are pushed to; of a fork another one than `repository`. */
  readonly remote: string;
  /** Owner of the repository behind that remote. */
  readonly owner: string;
}

export interface Checks {
  readonly passed: number;
  readonly pending: number;
  readonly failed: readonly string[];
}

/** What was seen of a pull request, for whoever reads the board. */
export interface PullLook {
  readonly at: string;
  readonly draft: boolean;
  readonly checks: Checks;
  /** Empty: nobody has decided. */
  readonly review: 'approved' | 'changes-requested' | 'required' | '';
  readonly mergeable: 'yes' | 'conflict' | 'unknown';
  readonly queued: boolean;
  /** Why the forge could not be asked since, or what keeps it from going on. */
  readonly problem: string | null;
  /** How its content was recognised on the target, once it is merged. */
  readonly landed: string | null;
}

/** Something that came back; all of it is text of others. */
export interface Feedback {
  readonly kind: 'check' | 'review' | 'comment';
  readonly text: string;
}

export interface PullRequest {
  readonly seq: number;
  readonly runId: string;
  readonly laneId: string | null;
  readonly forge: ForgeAddress;
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly base: string;
  readonly headSha: string;
  readonly state: 'open' | 'merged' | 'closed';
  readonly rounds: number;
  readonly look: PullLook | null;
  readonly handled: readonly string[];
  readonly feedback: readonly Feedback[];
  readonly at: Date;
}

const PULL = rowFormat<PullRequest>({
  ...plain('seq', 'runId', 'laneId', 'number', 'url', 'branch', 'base', 'headSha', 'state'),
  ...plain('rounds'),
  ...json('forge', 'look', 'handled', 'feedback'),
  at: 'date',
});

type PullChange = Partial<
  Pick<
    PullRequest,
    'url' | 'base' | 'headSha' | 'state' | 'rounds' | 'look' | 'handled' | 'feedback'
  >
>;

export const pullRequestStore = tableStore(PULL, ({ all, column, one, writing }) => {
  const add = writing<[Omit<PullRequest, 'seq'> & { readonly seq: null }]>(
    PULL.insert('pull_requests'),
  );
  return {
    add: (it: Omit<PullRequest, 'seq'>) => add({ ...it, seq: null }),
    bySeq: one<[seq: number]>('SELECT * FROM pull_requests WHERE seq = ?'),
    /** In the order in which they were opened. */
    ofRun: all<[runId: string]>('SELECT * FROM pull_requests WHERE run_id = ? ORDER BY seq'),
    openOf: all<[runId: string]>(
      "SELECT * FROM pull_requests WHERE run_id = ? AND state = 'open' ORDER BY seq",
    ),
    /** The last one of a lane. */
    ofLane: one<[laneId: string]>(
      'SELECT * FROM pull_requests WHERE lane_id = ? ORDER BY seq DESC LIMIT 1',
    ),
    change({ seq }: Pick<PullRequest, 'seq'>, change: PullChange): void {
      const sql = `UPDATE pull_requests SET ${PULL.assignments(change)} WHERE seq = :seq`;
      writing<[object]>(sql)({ ...change, seq });
    },
    /** Open runs with pull requests, whose watcher was not started since then. */
    watched: column<[before: number], string>(`
      SELECT DISTINCT p.run_id FROM pull_requests AS p JOIN runs AS r ON r.id = p.run_id
       WHERE p.state = 'open' AND r.intent IN ('active', 'paused') AND p.launched_at < ?`),
    /** Whether this caller may start the watcher of a run, which takes a moment to take its lock. */
    claimLaunch: writing<[runId: string, now: number, before: number]>(
      "UPDATE pull_requests SET launched_at = ?2 WHERE run_id = ?1 AND state = 'open' AND launched_at < ?3",
    ),
  };
});
