import * as z from 'zod/mini';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** The address of pull requests, and the forge's program that is logged in there. */
export interface ForgeAddress {
  readonly program: 'gh' | 'glab';
  readonly host: string;
  /** `owner/name`; on GitLab with all groups. */
  readonly repository: string;
  /** The remote to which branches are pushed; for a fork, another one than `repository`. */
  readonly remote: string;
  /** Owner of the repository behind that remote. */
  readonly owner: string;
}

/** The state of a pull request, in one form for all forges. */
export const SeenPull = z.object({
  url: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  draft: z.boolean(),
  /** Empty: nobody has decided. */
  review: z.enum(['', 'approved', 'changes-requested', 'required']),
  mergeable: z.enum(['yes', 'conflict', 'unknown']),
  /** It is in the merge queue. */
  queued: z.boolean(),
  headSha: z.string(),
  base: z.string(),
  mergeSha: z.nullable(z.string()),
  /** `id` finds the log, and is empty if there is none. `text` is the check's own text. */
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['passed', 'pending', 'failed']),
      id: z.string(),
      text: z.string(),
    }),
  ),
  /** Reviews, and comments on lines (`where`: `src/a.ts:3`) in unresolved conversations. */
  remarks: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['review', 'comment']),
      author: z.string(),
      where: z.string(),
      text: z.string(),
    }),
  ),
});
export type SeenPull = z.infer<typeof SeenPull>;
export type Check = SeenPull['checks'][number];
export type Remark = SeenPull['remarks'][number];

/** Feedback on a pull request; all of it is text of others. */
export interface Feedback {
  /** The key under which it is recorded as handled. */
  readonly key: string;
  readonly kind: 'check' | 'review' | 'comment';
  readonly text: string;
}

export type PullRequest = RowOf<typeof PULL>;

const PULL = rowFormat({
  seq: is.number,
  runId: is.text,
  laneId: is.orNull(is.text),
  forge: is.json<ForgeAddress>(),
  number: is.number,
  url: is.text,
  branch: is.text,
  base: is.text,
  headSha: is.text,
  state: is.plain<'open' | 'merged' | 'closed'>(),
  rounds: is.number,
  look: is.orNull(is.json<Omit<SeenPull, 'remarks'> & { readonly at: string }>()),
  /** Why the forge cannot be asked, or why the work is not pushed. */
  problem: is.orNull(is.text),
  /** How its content was recognised on the target after the merge. */
  landed: is.orNull(is.text),
  handled: is.json<readonly string[]>(),
  feedback: is.json<readonly Feedback[]>(),
  at: is.date,
});

export const pullRequestStore = tableStore(PULL, ({ all, one, writing }) => ({
  add: writing<[Omit<PullRequest, 'seq'>]>(PULL.insert('pull_requests')),
  /** The pull requests in the order in which they were opened. */
  ofRun: all<[runId: string]>('SELECT * FROM pull_requests WHERE run_id = ? ORDER BY seq'),
  openOf: all<[runId: string]>(
    "SELECT * FROM pull_requests WHERE run_id = ? AND state = 'open' ORDER BY seq",
  ),
  /** The last one of a lane. */
  ofLane: one<[laneId: string]>(
    'SELECT * FROM pull_requests WHERE lane_id = ? ORDER BY seq DESC LIMIT 1',
  ),
  change({ seq }: Pick<PullRequest, 'seq'>, change: Partial<PullRequest>): void {
    const sql = `UPDATE pull_requests SET ${PULL.assignments(change)} WHERE seq = :seq`;
    writing<[object]>(sql)({ ...change, seq });
  },
  /** Whether this caller may start the watcher of a run, which needs a moment to take its lock. */
  claimLaunch: writing<[runId: string, now: number, before: number]>(
    "UPDATE pull_requests SET launched_at = ?2 WHERE run_id = ?1 AND state = 'open' AND launched_at < ?3",
  ),
}));
