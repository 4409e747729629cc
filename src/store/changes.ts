import { tableStore } from './rows.ts';

/** Shows whether any process has written something. */
export const changeStore = tableStore(null, ({ value }) => ({
  /** A number that changes when another connection commits. */
  version: value<[], number>('PRAGMA data_version'),
  /** A text that changes with each event in the project: of a run, of the gate, or of a session. */
  events: value<[projectId: number], string>(`
      SELECT coalesce((SELECT max((SELECT max(seq) FROM lane_events WHERE run_id = r.id))
                         FROM runs AS r WHERE r.project_id = ?1), 0)
        || '.' || coalesce((SELECT max(id) FROM decisions WHERE project_id = ?1), 0)
        || '.' || coalesce((SELECT max(id) FROM observations WHERE project_id = ?1), 0)`),
}));
