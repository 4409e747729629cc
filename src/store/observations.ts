/** What sessions did, as their hooks recorded it. */
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export type ObservationKind =
  | ('start' | 'end' | 'prompt' | 'stop' | 'compaction') // of the conversation
  | ('command' | 'edit' | 'tool'); // of its tools

/** `null`: the agent does not report it. */
export type Outcome = 'passed' | 'failed' | 'denied' | null;

const SEEN = {
  kind: is.plain<ObservationKind>(),
  at: is.date,
  /** The name of the tool or program; how a session began (`new`, `resumed`, `cleared`, `compacted`) or ended. */
  name: is.orNull(is.text),
  /** The category of a command: `test`, `build`, `git`. */
  category: is.orNull(is.text),
  /** The user's words of a prompt, or the agent's last words of a turn. */
  text: is.orNull(is.text),
  rules: is.orNull(is.json<readonly string[]>()),
  /** Relative to the project. */
  files: is.json<readonly string[]>(),
  outcome: is.plain<Outcome>(),
  outputBytes: is.orNull(is.number),
};

export type Seen = Pick<Observation, keyof typeof SEEN>;

export type Observation = RowOf<typeof OBSERVATION>;

const OBSERVATION = rowFormat({
  ...SEEN,
  projectId: is.number,
  agent: is.text,
  session: is.text,
  /** `null`: recorded by a hook; otherwise read from the agent's transcript. */
  source: is.orNull(is.plain<'transcript'>()),
});

export type StoredObservation = RowOf<typeof STORED>;

const STORED = rowFormat({
  ...OBSERVATION.fields,
  /** Grows in the order of events, independent of the clock. */
  id: is.number,
});

export interface RecordedSessionRow
  extends Readonly<Record<'agent' | 'session', string>>,
    Readonly<Record<'began' | 'last' | 'prompts' | 'edits' | 'commands', number>> {
  /** `null`: hooks recorded at least a part. */
  readonly source: 'transcript' | null;
}

const COUNTS = `min(at) AS began, max(at) AS last, sum(kind = 'prompt') AS prompts,
  sum(kind = 'edit') AS edits, sum(kind = 'command') AS commands,
  iif(sum(source IS NULL) = 0, 'transcript', NULL) AS source`;

/** The condition is written as in the index `observations_said`, or SQLite reads every tool call of a turn. */
const said = (row: string): string => `${row}.kind IN ('prompt', 'stop')`;

export const observationStore = tableStore(
  STORED,
  ({ all, column, one, rows, value, writing }) => ({
    /** Call it inside a write. */
    add: writing<[Observation]>(OBSERVATION.insert('observations')),
    /** The last call of the name whose outcome is unknown. */
    openCall: value<[agent: string, session: string, kind: string, name: string], number>(
      `SELECT id FROM observations WHERE agent = ? AND session = ? AND kind = ? AND name = ?
       AND outcome IS NULL ORDER BY id DESC LIMIT 1`,
    ),
    settle: writing<[id: number, outcome: Outcome, outputBytes: number | null]>(
      `UPDATE observations SET outcome = ?2, output_bytes = coalesce(?3, output_bytes) WHERE id = ?1`,
    ),
    ofSession: all<[agent: string, session: string]>(
      'SELECT * FROM observations WHERE agent = ? AND session = ? ORDER BY id',
    ),
    /** Without the calls of other tools, which are most of a session. */
    saidAndEdited: all<[agent: string, session: string]>(
      `SELECT * FROM observations
        WHERE agent = ? AND session = ? AND kind IN ('prompt', 'stop', 'edit') ORDER BY id`,
    ),
    /** The texts of turns, each from its first observation to the next prompt. @param ids those first ones, as JSON. */
    turns: all<[ids: string]>(
      `SELECT later.* FROM json_each(?) CROSS JOIN observations AS began ON began.id = value
         JOIN observations AS later USING (agent, session)
        WHERE ${said('later')} AND later.id >= began.id AND later.id < coalesce(
          (SELECT min(next.id) FROM observations AS next
            WHERE next.agent = began.agent AND next.session = began.session
              AND next.id > began.id AND ${said('next')} AND next.kind = 'prompt'), 1e18)
        ORDER BY later.id`,
    ),
    /** The newest first. */
    ofProject: all<[projectId: number, limit: number]>(
      'SELECT * FROM observations WHERE project_id = ? ORDER BY at DESC, id DESC LIMIT ?',
    ),
    /** The number of observations on each of the last days, in all projects; `ago` counts the days back from now. */
    perDay: rows<[now: number, days: number], { ago: number; events: number }>(
      `SELECT CAST((?1 - at) / 86400000 AS INTEGER) AS ago, count(*) AS events FROM observations
        WHERE at BETWEEN ?1 - ?2 * 86400000 + 1 AND ?1 GROUP BY ago`,
    ),
    lastOf: one<[agent: string, session: string, kind: string]>(
      'SELECT * FROM observations WHERE agent = ? AND session = ? AND kind = ? ORDER BY id DESC LIMIT 1',
    ),
    /** Files that were edited since then, as JSON. */
    editedSince: column<[agent: string, session: string, id: number], string>(
      `SELECT files FROM observations WHERE agent = ? AND session = ? AND kind = 'edit' AND id > ?`,
    ),
    /** Sessions of the project, the last active one first; -1: all. */
    sessions: rows<[projectId: number, limit: number], RecordedSessionRow>(
      `SELECT agent, session, ${COUNTS} FROM observations WHERE project_id = ?
      GROUP BY agent, session ORDER BY max(at) DESC, max(id) DESC LIMIT ?`,
    ),
    /** Sessions whose last prompt is not indexed. */
    unfound: rows<[projectId: number], { agent: string; session: string }>(
      `SELECT agent, session FROM (
         SELECT agent, session, max(id) AS last FROM observations
          WHERE project_id = ? AND kind = 'prompt' GROUP BY agent, session)
        WHERE NOT EXISTS (SELECT 1 FROM item_words WHERE rowid = -last)`,
    ),
    /** How many prompts a session has had. @param agents any of these, as JSON. */
    prompts: value<[session: string, agents: string], number>(
      `SELECT count(*) FROM observations AS one WHERE session = ? AND ${said('one')} AND kind = 'prompt'
          AND agent IN (SELECT value FROM json_each(?))`,
    ),
    /** Whether a hook has seen it. */
    isHooked: value<[agent: string, session: string], number>(
      'SELECT 1 FROM observations WHERE agent = ? AND session = ? AND source IS NULL LIMIT 1',
    ),
    forgetTranscript: writing<[agent: string, session: string]>(
      `DELETE FROM observations WHERE agent = ? AND session = ? AND source = 'transcript'`,
    ),
    /** Deletes the last words if nothing followed them, because there are later ones. */
    dropLastWords: writing<[agent: string, session: string]>(
      `DELETE FROM observations WHERE kind = 'stop' AND source = 'transcript'
       AND id = (SELECT max(id) FROM observations WHERE agent = ? AND session = ?)`,
    ),
  }),
);
