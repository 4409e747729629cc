import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A reader of a run: one conversation of one agent. */
export type Reader = Pick<StoredHandoff, 'runId' | 'agent' | 'session'>;

/** A handoff that was given out, stored so that it can be checked later. */
export type StoredHandoff = RowOf<typeof HANDOFF>;

const HANDOFF = rowFormat({
  id: is.text,
  runId: is.text,
  agent: is.text,
  session: is.text,
  /** The number of the last event included. */
  cursor: is.number,
  /** The text and the claims of each line; parsed by the code that checks it. */
  lines: is.json<readonly unknown[]>(),
  at: is.date,
});

/** The number of events of one type for a lane, or for the run. */
export interface Change {
  readonly laneId: string | null;
  readonly type: string;
  readonly times: number;
  readonly lastSeq: number;
}

/** The most handoffs of a run: a busy session stores many, and older ones are seldom checked. */
const KEPT_PER_RUN = 50;

export const handoffStore = tableStore(HANDOFF, ({ one, rows, value, writing }) => {
  const add = writing<[StoredHandoff]>(HANDOFF.insert('handoffs'));
  const thin = writing<[runId: string, keep: number]>(`
      DELETE FROM handoffs WHERE run_id = ?1 AND seq NOT IN (
       SELECT seq FROM handoffs WHERE run_id = ?1 ORDER BY cursor DESC, seq DESC LIMIT ?2)`);
  const lastSeqs = rows<[runId: string], { lane_id: string | null; seq: number }>(
    'SELECT lane_id, max(seq) AS seq FROM lane_events WHERE run_id = ? GROUP BY lane_id',
  );
  return {
    /** Stores it, and deletes all but the newest; call it in a write. */
    add(handoff: StoredHandoff): void {
      add(handoff);
      thin(handoff.runId, KEPT_PER_RUN);
    },
    byId: one<[id: string]>('SELECT * FROM handoffs WHERE id = ?'),
    last: one<[runId: string]>(
      'SELECT * FROM handoffs WHERE run_id = ? ORDER BY cursor DESC, seq DESC LIMIT 1',
    ),
    /** The last event that this reader has got; `undefined` if it has got nothing of this run. */
    cursor: value<[Reader], number>(`
      SELECT cursor FROM run_readers
        WHERE run_id = :runId AND agent = :agent AND session = :session`),
    /** Moves the cursor. It never moves back: of two concurrent handoffs, the later cursor counts. */
    advance: writing<[Reader, to: number, now: Date]>(`
      INSERT INTO run_readers (run_id, agent, session, cursor, at)
       VALUES (:runId, :agent, :session, ?, ?)
       ON CONFLICT DO UPDATE SET cursor = max(cursor, excluded.cursor), at = excluded.at`),
    /** Ordered by the last event of each type. */
    changes: rows<[runId: string, since: number], Change>(`
      SELECT lane_id AS laneId, type, count(*) AS times, max(seq) AS lastSeq FROM lane_events
        WHERE run_id = ? AND seq > ? GROUP BY lane_id, type ORDER BY lastSeq`),
    /** The last event of each lane by its id; that of the run under `undefined`. */
    lastSeqs: (runId: string): ReadonlyMap<string | undefined, number> =>
      new Map(lastSeqs(runId).map(({ lane_id, seq }) => [lane_id ?? undefined, seq])),
  };
});
