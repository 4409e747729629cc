import { tableStore } from './rows.ts';

/** What tells that something was written, by whichever process. */
export const changeStore = tableStore(null, ({ value }) => ({
  /** Another number as soon as another connection has committed. */
  version: value<[], number>('PRAGMA data_version'),
  /** Another text as soon as there is an event in the project: of a run, of the gate, or of a session. */
  events: value<[projectId: number], string>(`
      SELECT coalesce((SELECT max((SELECT max(seq) FROM lane_events WHERE run_id = r.id))
                         FROM runs AS r WHERE r.project_id = ?1), 0)
        || '.' || coalesce((SELECT max(id) FROM decisions WHERE project_id = ?1), 0)
        || '.' || coalesce((SELECT max(id) FROM observations WHERE project_id = ?1), 0)`),
}));
