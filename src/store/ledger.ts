import { BUDGET_KINDS, type Budget } from './lanes.ts';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** Spending, in which an open reservation counts in full. */
export type Spent = Required<Budget>;

/** `reserved` is the total for attempts that have not ended; `spent` has the larger of the two for each. */
export type LaneSpending = Omit<RowOf<typeof SPENDING>, 'laneId'>;

export type SessionSpent = Pick<Spent, 'tokens' | 'usd'>;

export interface Reservation {
  readonly attemptId: string;
  readonly runId: string;
  readonly laneId: string;
  /** `2026-01-31`, in local time. */
  readonly day: string;
  readonly reserved: Budget;
}

type Kind = keyof Budget;

export const sumOf = (parts: readonly Spent[]): Spent =>
  Object.fromEntries(
    BUDGET_KINDS.map((kind) => [kind, parts.reduce((sum, it) => sum + it[kind], 0)]),
  ) as Spent;

const spentSum = (kind: Kind) =>
  `coalesce(sum(CASE WHEN settled = 1 THEN used_${kind} ELSE max(used_${kind}, coalesce(reserved_${kind}, 0)) END), 0)`;
const usedSum = (kind: Kind) => `coalesce(sum(used_${kind}), 0)`;
const reservedSum = (kind: Kind) =>
  `coalesce(sum(CASE WHEN settled = 1 THEN 0 ELSE reserved_${kind} END), 0)`;
const columnsOf = (sum: typeof spentSum) =>
  BUDGET_KINDS.map((it) => `${sum(it)} AS ${it}`).join(', ');
const objectOf = (sum: typeof spentSum) =>
  `json_object(${BUDGET_KINDS.map((it) => `'${it}', ${sum(it)}`).join(', ')})`;
const USED = `SELECT ${columnsOf(usedSum)} FROM ledger`;
const SPENT = `SELECT ${columnsOf(spentSum)} FROM ledger`;

const SPENDING = rowFormat({
  laneId: is.text,
  spent: is.json<Spent>(),
  used: is.json<Spent>(),
  reserved: is.json<Spent>(),
});
export const ledgerStore = tableStore(null, ({ row, writing }, of) => {
  const reserve = writing<[Budget & Omit<Reservation, 'reserved'>]>(`
     INSERT INTO ledger (attempt_id, run_id, lane_id, day, reserved_turns, reserved_seconds,
                         reserved_tokens, reserved_usd)
     VALUES (:attemptId, :runId, :laneId, :day, :turns, :seconds, :tokens, :usd)`);
  const use = writing<[Spent & { attemptId: string }]>(`
      UPDATE ledger SET used_turns = max(used_turns, :turns), used_seconds = max(used_seconds, :seconds),
       used_tokens = max(used_tokens, :tokens), used_usd = max(used_usd, :usd)
      WHERE attempt_id = :attemptId AND settled = 0`);
  const ofAttempt = row<
    [attemptId: string],
    Record<`${'reserved' | 'used'}_${Kind}`, number | null> | undefined
  >('SELECT * FROM ledger WHERE attempt_id = ?');
  const byLane = of(SPENDING).all<[runId: string]>(
    `SELECT lane_id, ${objectOf(spentSum)} AS spent, ${objectOf(usedSum)} AS used,
            ${objectOf(reservedSum)} AS reserved
       FROM ledger WHERE run_id = ? GROUP BY lane_id`,
  );
  return {
    reserve: ({ reserved, ...key }: Reservation) => reserve({ ...key, ...reserved }),
    /** The limits of the attempt, and its use so far. */
    of(attemptId: string): { readonly reserved: Budget; readonly used: Spent } | undefined {
      const row = ofAttempt(attemptId);
      if (row === undefined) return undefined;
      const part = (name: 'reserved' | 'used'): Budget =>
        Object.fromEntries(
          BUDGET_KINDS.flatMap((kind) => {
            const amount = row[`${name}_${kind}`];
            return amount === null ? [] : [[kind, amount]];
          }),
        );
      return { reserved: part('reserved'), used: part('used') as Spent };
    },
    /** Stores what the worker has used so far; never decreases. */
    use: (attemptId: string, used: Spent) => use({ ...used, attemptId }),
    /** Releases the reservation: from now on only the use counts. */
    settle: writing<[attemptId: string]>('UPDATE ledger SET settled = 1 WHERE attempt_id = ?'),
    ofLane: row<[laneId: string], Spent>(`${SPENT} WHERE lane_id = ?`),
    /** The sums of each lane of a run that has spent something. */
    byLane: (runId: string): ReadonlyMap<string, LaneSpending> =>
      new Map(byLane(runId).map(({ laneId, ...sums }) => [laneId, sums])),
    ofRun: row<[runId: string], Spent>(`${SPENT} WHERE run_id = ?`),
    ofDay: row<[day: string], Spent>(`${SPENT} WHERE day = ?`),
    /** The known use of earlier attempts in a session that this one may resume. */
    beforeInSession: row<[attemptId: string, session: string], SessionSpent>(
      `SELECT coalesce(sum(l.used_tokens), 0) AS tokens, coalesce(sum(l.used_usd), 0) AS usd
         FROM attempts AS own
         JOIN attempts AS a ON a.lane_id = own.lane_id AND a.n < own.n
         JOIN ledger AS l ON l.attempt_id = a.id
        WHERE own.id = ? AND a.session_id = ?`,
    ),
    /** The use without reservations. */
    usedByRun: row<[runId: string], Spent>(`${USED} WHERE run_id = ?`),
    usedOnDay: row<[day: string], Spent>(`${USED} WHERE day = ?`),
  };
});
