/** What a lane's worker may have to hear of its siblings: read only. */
import type { Store } from './open.ts';

/** The lane and another one, or the tip of the integration, do not go together as they are now. */
export interface SiblingConflict {
  /** The other lane's key; `null`: what is integrated already. */
  readonly with: string | null;
  /** Paths that git could not merge; empty where only the validation of both together fails. */
  readonly paths: readonly string[];
  /** The validation that fails on both together. */
  readonly command: string | null;
}

/** A sibling changes files that the lane builds on. */
export interface SiblingChange {
  readonly with: string;
  readonly paths: readonly string[];
}

type ConflictRow = {
  with: string | null;
  conflicts: string;
  result: string | null;
  cmd: string | null;
};

export function laneNewsStore({ db }: Store) {
  const compositions = db.prepare<{ lane: string }, ConflictRow>(
    `SELECT o.key AS "with", c.conflicts, v.result, v.cmd
       FROM compositions AS c
       LEFT JOIN lanes AS o
         ON o.id = CASE WHEN c.a_lane_id = :lane THEN c.b_lane_id ELSE c.a_lane_id END
       LEFT JOIN validations AS v ON v.id = c.validation_id
      WHERE c.a_lane_id = :lane OR c.b_lane_id = :lane
      ORDER BY c.at`,
  );
  const events = db.prepare<[laneId: string, since: number], { data: string }>(
    `SELECT data FROM lane_events
      WHERE lane_id = ? AND type = 'composition' AND at >= ? ORDER BY seq`,
  );
  return {
    /** Of each sibling the last look counts. */
    conflicts(lane: string): SiblingConflict[] {
      const last = new Map(compositions.all({ lane }).map((row) => [row.with, row]));
      return [...last.values()].flatMap(toConflict);
    },
    /** From events of the type `composition` whose data name `with` and `reads`. */
    changes: (laneId: string, since: Date): SiblingChange[] =>
      events.all(laneId, since.getTime()).flatMap(({ data }) => toChange(JSON.parse(data))),
  };
}

function toConflict({ with: key, conflicts, result, cmd }: ConflictRow): SiblingConflict[] {
  const paths: string[] = JSON.parse(conflicts);
  const fails = result === 'fail' || result === 'timeout';
  if (paths.length === 0 && !fails) return [];
  return [{ with: key, paths, command: paths.length === 0 ? cmd : null }];
}

function toChange(data: { with?: unknown; reads?: unknown }): SiblingChange[] {
  if (typeof data.with !== 'string' || !Array.isArray(data.reads)) return [];
  const paths = data.reads.filter((it) => typeof it === 'string');
  return paths.length === 0 ? [] : [{ with: data.with, paths }];
}
