/** Lanes of other machines that this one has claimed. */
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** What ends a claim. */
export type ClaimEnding =
  | {
      readonly kind: 'finish';
      readonly outcome: 'verified' | 'failed' | 'asks';
      readonly head: string;
      /** The signed result, sealed, in base64. */
      readonly body: string;
    }
  | {
      readonly kind: 'release';
      readonly why: ReleaseReason;
      /** The last checkpoint that the remote has. */
      readonly head: string | null;
      /** How long this machine does not want it; `null`: for ever. */
      readonly waitS: number | null;
    };

export type ReleaseReason = 'signer' | 'expired' | 'quota' | 'disk' | 'policy' | 'draining';

export type TeamClaim = RowOf<typeof CLAIM>;

const CLAIM = rowFormat({
  lane: is.text,
  epoch: is.number,
  rev: is.number,
  run: is.text,
  repo: is.text,
  ticket: is.text,
  /** Sealed, in base64. */
  bodies: is.json<{
    readonly offer: string;
    readonly run: string;
    readonly runRev: number;
    /** `null`: the work goes on however long the board is silent. */
    readonly leaseMs: number | null;
  }>(),
  key: is.orNull(is.text),
  laneId: is.orNull(is.text),
  pushed: is.orNull(is.text),
  pushedAt: is.orNull(is.date),
  ending: is.orNull(is.json<ClaimEnding>()),
  endedAt: is.orNull(is.date),
  answer: is.orNull(is.text),
  tries: is.number,
  why: is.orNull(is.text),
});

type Taken = Pick<TeamClaim, 'lane' | 'epoch' | 'rev' | 'run' | 'repo' | 'ticket' | 'bodies'>;

export const teamClaimStore = tableStore(CLAIM, ({ all, one, writing }) => ({
  /** Those that the board has not been told the end of. */
  open: all<[]>('SELECT * FROM team_claims WHERE answer IS NULL ORDER BY seq'),
  byId: one<[lane: string, epoch: number]>(
    'SELECT * FROM team_claims WHERE lane = ? AND epoch = ?',
  ),
  /** A new one, or one whose answer the board has forgotten, or was lost. */
  take: writing<[Taken]>(
    `INSERT INTO team_claims (lane, epoch, rev, run, repo, ticket, bodies)
     VALUES (:lane, :epoch, :rev, :run, :repo, :ticket, :bodies)
     ON CONFLICT (lane, epoch) DO UPDATE SET answer = NULL, ticket = excluded.ticket`,
  ),
  put: writing<[TeamClaim]>(
    `UPDATE team_claims SET (${CLAIM.names}) = (${CLAIM.values}) WHERE lane = :lane AND epoch = :epoch`,
  ),
  /** The board has lost what it was told since then. */
  sayAgain: writing<[since: Date]>(
    'UPDATE team_claims SET answer = NULL, tries = 0 WHERE ending IS NOT NULL AND ended_at >= ?',
  ),
  prune: writing<[before: Date]>(
    'DELETE FROM team_claims WHERE answer IS NOT NULL AND ended_at < ?',
  ),
}));
