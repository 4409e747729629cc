/** Projects, the features that only one machine knows, and what was read of their files. */
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import type { Store } from './open.ts';
import { tableStore } from './rows.ts';

export interface KnownProject {
  readonly id: number;
  readonly identity: string;
}

/** With how much there is of each; times in milliseconds. */
export interface ListedProject extends KnownProject {
  readonly firstSeen: number;
  readonly features: number;
  readonly rules: number;
  readonly notes: number;
  readonly evidence: number;
}

/** Row ids of projects by identity (`src/base/git/project.ts`); ids never leave the store's users. */
export const projectStore = tableStore(null, ({ rows, value, writing }) => {
  const find = value<[identity: string], number>('SELECT id FROM projects WHERE identity = ?');
  const add = writing<[identity: string, now: Date]>(
    'INSERT INTO projects (identity, first_seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const ofClone = rows<[clone: string], KnownProject>(
    'SELECT p.id, identity FROM clones AS c JOIN projects AS p ON p.id = project_id WHERE c.id = ?',
  );
  const movedFrom = rows<[projectId: number], KnownProject>(
    `SELECT id, identity FROM projects
      WHERE id = (SELECT moved_from FROM projects WHERE id = ?)`,
  );
  return {
    find,
    /** The project's id, made if need be; call it inside a write. */
    ensure(identity: string, now: Date): number {
      const known = find(identity);
      if (known !== undefined) return known;
      add(identity, now);
      return find(identity) as number;
    },
    /** The project that has a clone of this id, or had it last. */
    ofClone: (clone: string): KnownProject | undefined => ofClone(clone)[0],
    addClone: writing<[clone: string, projectId: number]>(
      `INSERT INTO clones (id, project_id) VALUES (?, ?)
           ON CONFLICT DO UPDATE SET project_id = excluded.project_id`,
    ),
    dropClones: writing<[projectId: number]>('DELETE FROM clones WHERE project_id = ?'),
    movedFrom: (projectId: number): KnownProject | undefined => movedFrom(projectId)[0],
    setMovedFrom: writing<[projectId: number, from: number | null]>(
      'UPDATE projects SET moved_from = ?2 WHERE id = ?1',
    ),
    all: rows<[], ListedProject>(
      `SELECT id, identity, first_seen_at AS firstSeen,
          (SELECT count(*) FROM features WHERE project_id = projects.id) AS features,
          (SELECT count(*) FROM guards WHERE project_id = projects.id) AS rules,
          (SELECT count(*) FROM recall_items
            WHERE project_id = projects.id AND path IS NOT NULL) AS notes,
          (SELECT count(*) FROM evidence WHERE project_id = projects.id) AS evidence
         FROM projects ORDER BY identity`,
    ),
  };
});

/** Tables that are left alone: an index is made anew, and evidence is copied, because it never changes. */
const NOT_MOVED = ['clones', 'code_chunks', 'commit_files', 'evidence', 'recall_items'];

const PLACES = [
  ['pending', 'worktree'],
  ['sessions', 'worktree'],
  ['runs', 'repository'],
  ['runs', 'common_dir'],
] as const;

/**
 * Puts a project where another one is, and adds to it what there is of that one, which gets the place of the first.
 * Call it inside a write.
 */
export function moveProject(
  { db }: Store,
  project: KnownProject,
  here: KnownProject,
  folders: { readonly from: string; readonly to: string },
): void {
  const ids = { project: project.id, here: here.id };
  const tables = db
    .prepare<[], string>(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'project_id'`,
    )
    .pluck()
    .all();
  // What was written last counts.
  db.prepare(
    `DELETE FROM features WHERE project_id = :project
        AND name IN (SELECT name FROM features WHERE project_id = :here)`,
  ).run(ids);
  for (const table of tables.filter((it) => !NOT_MOVED.includes(it))) {
    db.prepare(`UPDATE OR IGNORE ${table} SET project_id = :project WHERE project_id = :here`).run(
      ids,
    );
  }
  for (const [table, column] of PLACES) {
    db.prepare(
      `UPDATE OR IGNORE ${table} SET ${column} = :to || substr(${column}, length(:from) + 1)
        WHERE project_id = :id AND (${column} = :from OR substr(${column}, 1, length(:from) + 1) = :from || '/')`,
    ).run({ ...folders, id: project.id });
  }
  const place = db.prepare<[identity: string, id: number]>(
    'UPDATE projects SET identity = ?, moved_from = NULL WHERE id = ?',
  );
  place.run(`${here.identity} (moved)`, here.id);
  place.run(here.identity, project.id);
  place.run(project.identity, here.id);
}

/** Whether the project has an open run, which hooks of every session ask: answered by an index. */
export const hasOpenRun = (store: Store, projectId: number): boolean =>
  openRuns(store).any(projectId) !== undefined;

const openRuns = tableStore(null, ({ value }) => ({
  any: value<[projectId: number], number>(
    `SELECT 1 FROM runs WHERE project_id = ? AND intent IN ('active', 'paused') LIMIT 1`,
  ),
}));

/** Features that only this machine knows, as the JSON of their definition. */
export const localFeatureStore = tableStore(null, ({ rows, writing }) => ({
  all: rows<[projectId: number], { name: string; definition: string }>(
    'SELECT name, definition FROM features WHERE project_id = ? ORDER BY name',
  ),
  put: writing<[projectId: number, name: string, definition: string, now: Date]>(`
      INSERT INTO features (project_id, name, definition, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET definition = excluded.definition, updated_at = excluded.updated_at`),
  /** False if there was none. */
  remove: writing<[projectId: number, name: string]>(
    'DELETE FROM features WHERE project_id = ? AND name = ?',
  ),
}));

/**
 * Writes which projects have such features, and the ids of their clones, to the file that git's hook reads: it
 * does not open the database. Called in the transaction that changes them, so that the file never has fewer.
 */
export function noteLocalProjects({ db, home }: Store): void {
  const known = db
    .prepare<[], string>(
      `SELECT identity FROM projects WHERE id IN (SELECT project_id FROM features)
       UNION SELECT id FROM clones WHERE project_id IN (SELECT project_id FROM features)`,
    )
    .pluck()
    .all();
  replaceFile(home.localFeatures, known.map((it) => `${it}\n`).join(''), { mode: PRIVATE });
}

/**
 * The last valid lanehold.json of each working tree and of what it was compared with, and the user's config.json
 * under its own path, with what validation made of it.
 */
export const registryFileStore = tableStore(null, ({ value, writing }) => ({
  find: value<[worktree: string, source: string], string>(
    'SELECT normalised FROM registry_files WHERE worktree = ? AND source = ?',
  ),
  put: writing<[worktree: string, source: string, normalised: string]>(`
      INSERT INTO registry_files (worktree, source, normalised) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET source = excluded.source, normalised = excluded.normalised`),
}));

/** True if any project of this machine has features, as far as lanehold has met them. */
export function knowsAnyFeature({ db, home }: Store): boolean {
  const row = db
    .prepare<[config: string], { known: number }>(
      `SELECT EXISTS (SELECT 1 FROM features)
           OR EXISTS (SELECT 1 FROM registry_files WHERE worktree <> ?) AS known`,
    )
    .get(home.config);
  return row?.known === 1;
}
