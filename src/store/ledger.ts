import type { Budget } from './lanes.ts';
import { type Row, tableStore } from './rows.ts';

/** Spending, in which an open reservation counts in full. */
export type Spent = Required<Budget>;

/** `reserved` is the total for attempts that have not ended; `spent` has the larger of the two for each. */
export type LaneSpending = Readonly<Record<'spent' | 'used' | 'reserved', Spent>>;

export type SessionSpent = Pick<Spent, 'tokens' | 'usd'>;

export interface Reservation {
  readonly attemptId: string;
  readonly runId: string;
  readonly laneId: string;
  /** `2026-01-31`, in local time. */
  readonly day: string;
  readonly reserved: Budget;
}

const KINDS = ['turns', 'seconds', 'tokens', 'usd'] as const;
type Kind = (typeof KINDS)[number];

export const sumOf = (parts: readonly Spent[]): Spent =>
  Object.fromEntries(
    KINDS.map((kind) => [kind, parts.reduce((sum, it) => sum + it[kind], 0)]),
  ) as Spent;

const spentSum = (kind: Kind) =>
  `coalesce(sum(CASE WHEN settled = 1 THEN used_${kind} ELSE max(used_${kind}, coalesce(reserved_${kind}, 0)) END), 0)`;
const usedSum = (kind: Kind) => `coalesce(sum(used_${kind}), 0)`;
const reservedSum = (kind: Kind) =>
  `coalesce(sum(CASE WHEN settled = 1 THEN 0 ELSE reserved_${kind} END), 0)`;
const columnsOf = (sum: typeof spentSum) => KINDS.map((it) => `${sum(it)} AS ${it}`).join(', ');
const objectOf = (sum: typeof spentSum) =>
  `json_object(${KINDS.map((it) => `'${it}', ${sum(it)}`).join(', ')})`;
const USED = `SELECT ${columnsOf(usedSum)} FROM ledger`;
const SPENT = `SELECT ${columnsOf(spentSum)} FROM ledger`;

export const ledgerStore = tableStore(null, ({ rows, writing }) => {
  const reserve = writing<[Row]>(`
     INSERT INTO ledger (attempt_id, run_id, lane_id, day, reserved_turns, reserved_seconds,
                         reserved_tokens, reserved_usd)
     VALUES (:attemptId, :runId, :laneId, :day, :turns, :seconds, :tokens, :usd)`);
  const use = writing<[Spent & { attemptId: string }]>(`
      UPDATE ledger SET used_turns = max(used_turns, :turns), used_seconds = max(used_seconds, :seconds),
       used_tokens = max(used_tokens, :tokens), used_usd = max(used_usd, :usd)
      WHERE attempt_id = :attemptId AND settled = 0`);
  const ofAttempt = rows<
    [attemptId: string],
    Record<`${'reserved' | 'used'}_${Kind}`, number | null>
  >('SELECT * FROM ledger WHERE attempt_id = ?');
  const byLane = rows<[runId: string], Readonly<Record<'lane_id' | keyof LaneSpending, string>>>(
    `SELECT lane_id, ${objectOf(spentSum)} AS spent, ${objectOf(usedSum)} AS used,
            ${objectOf(reservedSum)} AS reserved
       FROM ledger WHERE run_id = ? GROUP BY lane_id`,
  );
  /** A sum is one row, even over no rows. */
  const sum = <Key extends string[], Sum = Spent>(sql: string) => {
    const sums = rows<Key, Sum>(sql);
    return (...key: Key) => sums(...key)[0] as Sum;
  };
  return {
    reserve({ reserved: { turns, seconds, tokens, usd }, ...key }: Reservation): void {
      reserve({ ...key, turns, seconds, tokens, usd });
    },
    /** The limits of the attempt, and its use so far. */
    of(attemptId: string): { readonly reserved: Budget; readonly used: Spent } | undefined {
      const [row] = ofAttempt(attemptId);
      if (row === undefined) return undefined;
      const part = (name: 'reserved' | 'used'): Budget =>
        Object.fromEntries(
          KINDS.flatMap((kind) => {
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
    ofLane: sum<[laneId: string]>(`${SPENT} WHERE lane_id = ?`),
    /** The sums of each lane of a run that has spent something. */
    byLane: (runId: string): ReadonlyMap<string, LaneSpending> =>
      new Map(
        byLane(runId).map(({ lane_id, ...sums }) => {
          const read = Object.entries(sums).map(([name, sum]) => [name, JSON.parse(sum)]);
          return [lane_id, Object.fromEntries(read)];
        }),
      ),
    ofRun: sum<[runId: string]>(`${SPENT} WHERE run_id = ?`),
    ofDay: sum<[day: string]>(`${SPENT} WHERE day = ?`),
    /** The known use of earlier attempts in a session that this one may resume. */
    beforeInSession: sum<[attemptId: string, session: string], SessionSpent>(
      `SELECT coalesce(sum(l.used_tokens), 0) AS tokens, coalesce(sum(l.used_usd), 0) AS usd
         FROM attempts AS own
         JOIN attempts AS a ON a.lane_id = own.lane_id AND a.n < own.n
         JOIN ledger AS l ON l.attempt_id = a.id
        WHERE own.id = ? AND a.session_id = ?`,
    ),
    /** The use without reservations. */
    usedByRun: sum<[runId: string]>(`${USED} WHERE run_id = ?`),
    usedOnDay: sum<[day: string]>(`${USED} WHERE day = ?`),
  };
});
