import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** A lane that other machines may work on, as its home has last said or heard it. */
export type TeamLane = RowOf<typeof LANE>;

const LANE = rowFormat({
  laneId: is.text,
  /** Grows with each request for work. */
  rev: is.number,
  /** The revision of the task that was offered. */
  specRev: is.number,
  state: is.plain<'to-offer' | 'offered' | 'claimed' | 'ended'>(),
  /** Of the last known claim. */
  epoch: is.number,
  /** The machine that has it, or had it last. */
  host: is.orNull(is.text),
  /** Why it could not be offered so far, or its result was refused, as a clause. */
  why: is.orNull(is.text),
  at: is.date,
});

/** A run as it was published last. */
export type TeamRun = RowOf<typeof RUN>;

const RUN = rowFormat({
  runId: is.text,
  rev: is.number,
  /** What was published: JSON, to be compared as it is. */
  said: is.text,
});

export const teamLaneStore = tableStore(LANE, ({ one, all, writing, column }, of) => ({
  of: one<[laneId: string]>('SELECT * FROM team_lanes WHERE lane_id = ?'),
  ofRun: all<[runId: string]>(
    `SELECT t.* FROM team_lanes AS t JOIN lanes AS l ON l.id = t.lane_id
      WHERE l.run_id = ? ORDER BY l.position`,
  ),
  put: writing<[TeamLane]>(
    `INSERT OR REPLACE INTO team_lanes (${LANE.names}) VALUES (${LANE.values})`,
  ),
  /** Runs with lanes of which the board has to hear, or to tell. */
  openRuns: column<[projectId: number], string>(
    `SELECT DISTINCT l.run_id FROM team_lanes AS t JOIN lanes AS l ON l.id = t.lane_id
       JOIN runs AS r ON r.id = l.run_id WHERE r.project_id = ? AND t.state <> 'ended' ORDER BY 1`,
  ),
  runOf: of(RUN).one<[runId: string]>('SELECT * FROM team_runs WHERE run_id = ?'),
  putRun: writing<[TeamRun]>(
    `INSERT OR REPLACE INTO team_runs (${RUN.names}) VALUES (${RUN.values})`,
  ),
}));
