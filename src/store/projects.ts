/** Projects, their local features, and the content of their files. */
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import type { Store } from './open.ts';
import { tableStore } from './rows.ts';

export type KnownProject = { readonly id: number; readonly identity: string };

export type ListedProject = KnownProject &
  Readonly<Record<'features' | 'rules' | 'notes' | 'evidence' | 'runs', number>>;

/** Row ids of projects by identity (`src/base/git/project.ts`); ids never leave the store's users. */
export const projectStore = tableStore(null, ({ row, rows, value, writing }) => {
  const find = value<[identity: string], number>('SELECT id FROM projects WHERE identity = ?');
  const add = writing<[identity: string, now: Date]>(
    'INSERT INTO projects (identity, first_seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const known = (id: string) =>
    row<[of: string | number], KnownProject | undefined>(
      `SELECT id, identity FROM projects WHERE id = (${id})`,
    );
  const dropFeatures = writing<[projectId: number]>('DELETE FROM features WHERE project_id = ?');
  const dropRules = writing<[projectId: number]>('DELETE FROM guards WHERE project_id = ?');
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
    ofClone: known('SELECT project_id FROM clones WHERE id = ?'),
    addClone: writing<[clone: string, projectId: number]>(
      `INSERT INTO clones (id, project_id) VALUES (?, ?)
           ON CONFLICT DO UPDATE SET project_id = excluded.project_id`,
    ),
    /** Deletes the features and rules of this machine. */
    dropOwn(projectId: number): void {
      dropFeatures(projectId);
      dropRules(projectId);
    },
    dropClones: writing<[projectId: number]>('DELETE FROM clones WHERE project_id = ?'),
    movedFrom: known('SELECT moved_from FROM projects WHERE id = ?'),
    setMovedFrom: writing<[projectId: number, from: number | null]>(
      'UPDATE projects SET moved_from = ?2 WHERE id = ?1',
    ),
    all: rows<[], ListedProject>(
      `SELECT id, identity,
          (SELECT count(*) FROM features WHERE project_id = p.id) AS features,
          (SELECT count(*) FROM guards WHERE project_id = p.id) AS rules,
          (SELECT count(*) FROM recall_items WHERE project_id = p.id AND path IS NOT NULL) AS notes,
          (SELECT count(*) FROM evidence WHERE project_id = p.id) AS evidence,
          (SELECT count(*) FROM runs WHERE project_id = p.id) AS runs
         FROM projects AS p ORDER BY identity`,
    ),
  };
});

/** Tables that are not moved: an index is built again, and evidence never changes, so it is copied. */
const NOT_MOVED = ['clones', 'code_chunks', 'commit_files', 'evidence', 'recall_items'];

/** Moves a project to the place of another, with its records; call it inside a write. */
export function moveProject(
  { db }: Store,
  { id, identity }: KnownProject,
  here: KnownProject,
  folders: { readonly from: string; readonly to: string },
): void {
  const tables = db
    .prepare<[], string>(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'project_id'`,
    )
    .pluck()
    .all();
  // The last written record counts.
  db.prepare(
    `DELETE FROM features WHERE project_id = ?
        AND name IN (SELECT name FROM features WHERE project_id = ?)`,
  ).run(id, here.id);
  for (const table of tables.filter((it) => !NOT_MOVED.includes(it)))
    db.prepare(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE project_id = ?`).run(
      id,
      here.id,
    );
  db.prepare(
    `UPDATE runs SET repository = :to || substr(repository, length(:from) + 1),
        common_dir = :to || substr(common_dir, length(:from) + 1) WHERE project_id = :id`,
  ).run({ ...folders, id });
  const place = db.prepare('UPDATE projects SET identity = ?, moved_from = NULL WHERE id = ?');
  place.run(`${here.identity} (moved)`, here.id);
  place.run(here.identity, id);
  place.run(identity, here.id);
}

/** Whether the project has an open run; an index answers it, because hooks of every session ask. */
export const hasOpenRun = (store: Store, projectId: number): boolean =>
  openRun(store)(projectId) !== undefined;

const openRun = tableStore(null, ({ value }) =>
  value<[projectId: number], number>(
    `SELECT 1 FROM runs WHERE project_id = ? AND intent IN ('active', 'paused') LIMIT 1`,
  ),
);

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
 * Writes the projects with local features, and the ids of their clones, to the file for git's hook, which does not open
 * the database. Called in the transaction of the change, so that the file never has fewer.
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

/** The last valid lanehold.json of each working tree and its base, and the user's config.json, with parsed values. */
export const registryFileStore = tableStore(null, ({ value, writing }) => ({
  find: value<[worktree: string, source: string], string>(
    'SELECT normalised FROM registry_files WHERE worktree = ? AND source = ?',
  ),
  put: writing<[worktree: string, source: string, normalised: string]>(`
      INSERT INTO registry_files (worktree, source, normalised) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET source = excluded.source, normalised = excluded.normalised`),
}));

/** True if any known project of this machine has features. */
export function knowsAnyFeature({ db, home }: Store): boolean {
  const known = db.prepare<[config: string], number>(
    `SELECT EXISTS (SELECT 1 FROM features)
         OR EXISTS (SELECT 1 FROM registry_files WHERE worktree <> ?)`,
  );
  return known.pluck().get(home.config) === 1;
}
