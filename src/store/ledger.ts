import { preparedOnce, type Store } from './open.ts';
import type { Budget } from './runs.ts';

/** Spending, where an open reservation counts in full. */
export type Spent = Required<Budget>;

export type SessionSpent = Pick<Spent, 'tokens' | 'usd'>;

export interface Reservation {
  readonly attemptId: string;
  readonly runId: string;
  readonly laneId: string;
  /** `2026-01-31`, in local time. */
  readonly day: string;
  readonly reserved: Budget;
}

type Row = {
  reserved_turns: number | null;
  reserved_seconds: number | null;
  reserved_tokens: number | null;
  reserved_usd: number | null;
  used_turns: number;
  used_seconds: number;
  used_tokens: number;
  used_usd: number;
};

const counted = (kind: keyof Spent) =>
  `coalesce(sum(CASE WHEN settled = 1 THEN used_${kind} ELSE max(used_${kind}, coalesce(reserved_${kind}, 0)) END), 0) AS ${kind}`;
const KINDS = ['turns', 'seconds', 'tokens', 'usd'] as const;
const USED = `SELECT ${KINDS.map((kind) => `coalesce(sum(used_${kind}), 0) AS ${kind}`).join(', ')} FROM ledger`;
const SPENT = `SELECT ${KINDS.map(counted).join(', ')} FROM ledger`;

export const ledgerStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const reserve = db.prepare(
    `INSERT INTO ledger (attempt_id, run_id, lane_id, day, reserved_turns, reserved_seconds,
                         reserved_tokens, reserved_usd)
     VALUES (:attemptId, :runId, :laneId, :day, :turns, :seconds, :tokens, :usd)`,
  );
  const use = db.prepare<Spent & { attemptId: string }>(
    `UPDATE ledger SET used_turns = max(used_turns, :turns), used_seconds = max(used_seconds, :seconds),
       used_tokens = max(used_tokens, :tokens), used_usd = max(used_usd, :usd)
      WHERE attempt_id = :attemptId AND settled = 0`,
  );
  const settle = db.prepare<[attemptId: string]>(
    'UPDATE ledger SET settled = 1 WHERE attempt_id = ?',
  );
  const reserved = db.prepare<[attemptId: string], Row>(
    'SELECT * FROM ledger WHERE attempt_id = ?',
  );
  const ofLane = db.prepare<[laneId: string], Spent>(`${SPENT} WHERE lane_id = ?`);
  const ofRun = db.prepare<[runId: string], Spent>(`${SPENT} WHERE run_id = ?`);
  const ofDay = db.prepare<[day: string], Spent>(`${SPENT} WHERE day = ?`);
  const usedByRun = db.prepare<[runId: string], Spent>(`${USED} WHERE run_id = ?`);
  const usedOnDay = db.prepare<[day: string], Spent>(`${USED} WHERE day = ?`);
  const beforeInSession = db.prepare<[attemptId: string, session: string], SessionSpent>(
    `SELECT coalesce(sum(l.used_tokens), 0) AS tokens, coalesce(sum(l.used_usd), 0) AS usd
       FROM attempts AS own
       JOIN attempts AS a ON a.lane_id = own.lane_id AND a.n < own.n
       JOIN ledger AS l ON l.attempt_id = a.id
      WHERE own.id = ? AND a.session_id = ?`,
  );
  const none: Spent = { turns: 0, seconds: 0, tokens: 0, usd: 0 };
  return {
    reserve({ reserved, ...key }: Reservation): void {
      const { turns = null, seconds = null, tokens = null, usd = null } = reserved;
      reserve.run({ ...key, turns, seconds, tokens, usd });
    },
    /** What the attempt may use, and what it has used so far. */
    of(attemptId: string): { readonly reserved: Budget; readonly used: Spent } | undefined {
      const row = reserved.get(attemptId);
      if (row === undefined) return undefined;
      const { used_turns: turns, used_seconds: seconds, used_tokens: tokens, used_usd: usd } = row;
      return { reserved: toBudget(row), used: { turns, seconds, tokens, usd } };
    },
    /** Stores what the worker has used so far; never decreases. */
    use: (attemptId: string, used: Spent): void => void use.run({ ...used, attemptId }),
    /** Releases the reservation: from now on only what was used counts. */
    settle: (attemptId: string): void => void settle.run(attemptId),
    ofLane: (laneId: string): Spent => ofLane.get(laneId) ?? none,
    ofRun: (runId: string): Spent => ofRun.get(runId) ?? none,
    ofDay: (day: string): Spent => ofDay.get(day) ?? none,
    /** What earlier attempts are known to have used in a session that this one may resume. */
    beforeInSession: (attemptId: string, session: string): SessionSpent =>
      beforeInSession.get(attemptId, session) ?? none,
    /** Without reservations. */
    usedByRun: (runId: string): Spent => usedByRun.get(runId) ?? none,
    usedOnDay: (day: string): Spent => usedOnDay.get(day) ?? none,
  };
}

function toBudget(row: Row): Budget {
  return {
    ...(row.reserved_turns === null ? {} : { turns: row.reserved_turns }),
    ...(row.reserved_seconds === null ? {} : { seconds: row.reserved_seconds }),
    ...(row.reserved_tokens === null ? {} : { tokens: row.reserved_tokens }),
    ...(row.reserved_usd === null ? {} : { usd: row.reserved_usd }),
  };
}
