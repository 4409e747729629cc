import type { Store } from './open.ts';
import { plain, type Row, rowFormat } from './rows.ts';

/** A reader of a run: one conversation of one agent. */
export interface Reader {
  readonly runId: string;
  readonly agent: string;
  readonly session: string;
}

/** A handoff that was given out, stored so that it can be checked later. */
export interface StoredHandoff extends Reader {
  readonly id: string;
  /** The number of the last event included. */
  readonly cursor: number;
  /** The whole document as JSON. */
  readonly body: string;
  readonly at: Date;
}

/** How often an event of one type has happened to a lane, or to the run. */
export interface Change {
  readonly laneId: string | null;
  readonly type: string;
  readonly times: number;
  readonly lastSeq: number;
}

const HANDOFF = rowFormat<StoredHandoff>({
  ...plain('id', 'runId', 'agent', 'session', 'cursor', 'body'),
  at: 'date',
});

/** Enough to check earlier handoffs; a busy session stores many. */
const KEPT_PER_RUN = 50;

export function handoffStore({ db }: Store) {
  const add = db.prepare<Row>(`INSERT INTO handoffs (${HANDOFF.names}) VALUES (${HANDOFF.values})`);
  const thin = db.prepare<[runId: string, runId: string, keep: number]>(
    `DELETE FROM handoffs WHERE run_id = ? AND id NOT IN (
       SELECT id FROM handoffs WHERE run_id = ? ORDER BY cursor DESC, at DESC, id DESC LIMIT ?)`,
  );
  const byId = db.prepare<[id: string], Row>('SELECT * FROM handoffs WHERE id = ?');
  const last = db.prepare<[runId: string], Row>(
    'SELECT * FROM handoffs WHERE run_id = ? ORDER BY cursor DESC, at DESC, id DESC LIMIT 1',
  );
  const cursor = db.prepare<Reader, { cursor: number }>(
    `SELECT cursor FROM run_readers
      WHERE run_id = :runId AND agent = :agent AND session = :session`,
  );
  const advance = db.prepare<Reader & { cursor: number; at: number }>(
    `INSERT INTO run_readers (run_id, agent, session, cursor, at)
     VALUES (:runId, :agent, :session, :cursor, :at)
     ON CONFLICT DO UPDATE SET cursor = max(cursor, excluded.cursor), at = excluded.at`,
  );
  const changes = db.prepare<[runId: string, since: number], Change>(
    `SELECT lane_id AS laneId, type, count(*) AS times, max(seq) AS lastSeq FROM lane_events
      WHERE run_id = ? AND seq > ? GROUP BY lane_id, type ORDER BY lastSeq`,
  );
  const lastSeqs = db.prepare<[runId: string], { lane_id: string | null; seq: number }>(
    'SELECT lane_id, max(seq) AS seq FROM lane_events WHERE run_id = ? GROUP BY lane_id',
  );
  return {
    /** Stores it, and deletes all but the newest; call it in a write. */
    add(handoff: StoredHandoff): void {
      add.run(HANDOFF.toRow(handoff));
      thin.run(handoff.runId, handoff.runId, KEPT_PER_RUN);
    },
    byId: (id: string): StoredHandoff | undefined => HANDOFF.found(byId.get(id)),
    last: (runId: string): StoredHandoff | undefined => HANDOFF.found(last.get(runId)),
    /** The last event that this reader was told of; `undefined` if it was told nothing of this run. */
    cursor: (reader: Reader): number | undefined => cursor.get(reader)?.cursor,
    /** Never moves back: if two tell the same reader, the later cursor counts. */
    advance: (reader: Reader, to: number, now: Date): void =>
      void advance.run({ ...reader, cursor: to, at: now.getTime() }),
    /** Ordered by the last event of each type. */
    changes: (runId: string, since: number): Change[] => changes.all(runId, since),
    /** The last event of each lane by its id; that of the run under `undefined`. */
    lastSeqs: (runId: string): ReadonlyMap<string | undefined, number> =>
      new Map(lastSeqs.all(runId).map(({ lane_id, seq }) => [lane_id ?? undefined, seq])),
  };
}
