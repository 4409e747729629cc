/** Deletes records from the database and its backups. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Home } from '../base/files/home.ts';
import { connect } from './connect.ts';
import { explainStoreError } from './errors.ts';
import { INDEXES } from './merge-segments.ts';

/** A selection by all given fields. */
export interface ForgetWish {
  /** Identity of the project; with `words`, records of every project count as well. `null`: any. */
  readonly project: string | null;
  /** Words that all occur, in any case; empty: any text. */
  readonly words: readonly string[];
  readonly session: { readonly agent: string; readonly session: string } | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

export interface ForgottenRow {
  /** The kind of an event or an item: `prompt`, `summary`, `decision`. */
  readonly kind: string;
  readonly at: number;
  readonly text: string;
  /** The path of the document with the text. */
  readonly path: string | null;
  /** The name; `null` for an event. */
  readonly uid: string | null;
}

interface Columns {
  /** SQL: whether a row belongs to the session. */
  readonly session: string;
  /** SQL of the text that is searched for words. */
  readonly text: string;
  /** The rows are only deleted by their words, because other records depend on them. */
  readonly byWords?: true;
}

const OF_SESSION = '(agent = :agent AND session = :session)';

const TABLES = {
  observations: {
    session: OF_SESSION,
    text: 'concat_ws(char(10), text, name, rules, files)',
  },
  recall_items: {
    session: `(${OF_SESSION} OR EXISTS (
      SELECT 1 FROM json_each(links) WHERE value = 'session:' || :session))`,
    text: 'concat_ws(char(10), title, body, conditions, files, links, commands, why, path)',
  },
  proposals: {
    session: `EXISTS (SELECT 1 FROM json_each(evidence) WHERE value ->> 'session' = :session)`,
    text: 'concat_ws(char(10), operation, why, evidence, diff)',
  },
  session_tasks: { session: OF_SESSION, text: 'title' },
  decisions: {
    session: OF_SESSION,
    text: 'concat_ws(char(10), command, reason)',
    byWords: true,
  },
  unseen_commands: { session: OF_SESSION, text: 'command', byWords: true },
} satisfies Record<string, Columns>;

const { observations: _, recall_items: __, ...OTHERS } = TABLES;

const OF_PROJECT = 'project_id = (SELECT id FROM projects WHERE identity = :project)';

/** @param owned SQL: whether a row belongs to the project. */
function conditionOf({ session, text, byWords }: Columns, owned = OF_PROJECT): string {
  return [
    `(:project IS NULL OR ${owned})`,
    `(:session IS NULL OR ${session})`,
    ...(byWords ? [':byWords'] : []),
    '(:since IS NULL OR at >= :since)',
    '(:until IS NULL OR at < :until)',
    `(NOT :byWords OR mentions(${text}))`,
  ].join(' AND ');
}

const ANY_ITEMS = conditionOf(
  TABLES.recall_items,
  `(${OF_PROJECT} OR (project_id IS NULL AND :byWords))`,
);
/** The items without documents in the repository, which lanehold does not delete. */
const ITEMS = `${ANY_ITEMS} AND (path IS NULL OR substr(path, 1, length(:notes)) = :notes)`;

export function forgetting(db: Database, home: Home, wish: ForgetWish) {
  const given = {
    project: wish.project,
    agent: wish.session?.agent ?? null,
    session: wish.session?.session ?? null,
    since: wish.since?.getTime() ?? null,
    until: wish.until?.getTime() ?? null,
    byWords: wish.words.length > 0 ? 1 : 0,
    notes: `${join(home.root, 'notes')}/`,
  };
  const wanted = wish.words.map((it) => it.toLowerCase());
  // The conditions call this function.
  db.function('mentions', (text: unknown) => {
    const own = String(text).toLowerCase();
    return wanted.every((it) => own.includes(it)) ? 1 : 0;
  });
  const column = <Value>(sql: string): Value[] =>
    db.prepare<[typeof given], Value>(sql).pluck().all(given);
  return {
    /** The events and items that would be deleted, the oldest first. */
    rows: (): ForgottenRow[] =>
      db
        .prepare<[typeof given], ForgottenRow>(
          `SELECT kind, at,
               coalesce(text, (SELECT group_concat(value, ', ') FROM json_each(files)), name) AS text,
               NULL AS path, NULL AS uid
             FROM observations WHERE ${conditionOf(TABLES.observations)}
           UNION ALL SELECT kind, at, title, path, uid FROM recall_items WHERE ${ITEMS}
           ORDER BY at`,
        )
        .all(given),
    /** Those whose summaries would be deleted. */
    sessions: (): { agent: string; session: string }[] =>
      db
        .prepare<[typeof given], { agent: string; session: string }>(
          `SELECT agent, session FROM recall_items WHERE ${ITEMS} AND kind = 'summary'`,
        )
        .all(given),
    others: (): number =>
      Object.entries<Columns>(OTHERS)
        .flatMap(([table, it]) =>
          column<number>(`SELECT count(*) FROM ${table} WHERE ${conditionOf(it)}`),
        )
        .reduce((sum, it) => sum + it),
    /** Notes in the repository that contain the words. */
    shared: (): string[] =>
      column(`SELECT path FROM recall_items WHERE ${ANY_ITEMS}
               AND substr(path, 1, length(:notes)) <> :notes ORDER BY path`),
    /** Deletes the rows; tables that an older database lacks are left out. Call it inside a write. */
    drop(): number {
      const tables = new Set(column(`SELECT name FROM sqlite_master WHERE type = 'table'`));
      let deleted = 0;
      for (const [table, where] of deletions(wish)) {
        if (tables.has(table))
          deleted += db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(given).changes;
      }
      // Text that is deleted from an index is only removed when its parts are merged.
      for (const index of INDEXES) {
        if (tables.has(index))
          db.prepare(`INSERT INTO ${index} (${index}) VALUES ('optimize')`).run();
      }
      return deleted;
    },
  };
}

/** The statements in their order: some name rows that a later one deletes. */
function deletions({ words, session, since, until }: ForgetWish): [table: string, where: string][] {
  const gone = `uid IN (SELECT uid FROM recall_items WHERE ${ITEMS})`;
  const ofSession = `(:session IS NOT NULL AND ${OF_SESSION})`;
  const indexOf = (table: string) => `rowid IN (SELECT id FROM ${table} WHERE ${OF_PROJECT})`;
  const isWhole = words.length === 0 && session === null && since === null && until === null;
  return [
    ['recall_shown', `${gone} OR ${ofSession} OR (:byWords AND mentions(digest))`],
    ['recall_told', `${gone} OR ${ofSession}`],
    ['model_calls', ofSession],
    ['item_words', `rowid IN (SELECT id FROM recall_items WHERE ${ITEMS})`],
    ['recall_items', ITEMS],
    ...Object.entries<Columns>({ observations: TABLES.observations, ...OTHERS }).map(
      ([table, it]): [string, string] => [table, conditionOf(it)],
    ),
    ...(isWhole
      ? ([
          ['code_words', indexOf('code_chunks')],
          ['code_chunks', OF_PROJECT],
          ['commit_words', indexOf('commit_files')],
          ['commit_files', OF_PROJECT],
          ['sessions', OF_PROJECT],
        ] satisfies [string, string][])
      : []),
    ['sessions', '(:session IS NOT NULL AND agent = :agent AND id = :session)'],
    // An answer to an agent may quote anything, and is kept for an hour.
    ['hook_events', 'true'],
  ];
}

/**
 * Rewrites the file, so that no deleted text is left in it or in its journal.
 *
 * @throws {StoreLockedError} if another process keeps the database busy.
 */
export function compact(db: Database, file: string): void {
  try {
    db.exec('VACUUM');
    const [state] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (state?.busy)
      throw Object.assign(new Error('the journal is in use'), { code: 'SQLITE_BUSY' });
  } catch (error) {
    throw explainStoreError(file, error);
  }
}

/** Deletes in each backup with such rows. */
export function forgetInBackups(
  home: Home,
  wish: ForgetWish,
): { changed: number; unreadable: string[] } {
  const names = existsSync(home.backups) ? readdirSync(home.backups) : [];
  const unreadable: string[] = [];
  let changed = 0;
  for (const name of names.filter((it) => it.endsWith('.db'))) {
    const file = join(home.backups, name);
    try {
      if (forgetIn(file, home, wish)) changed += 1;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      unreadable.push(file);
    }
  }
  return { changed, unreadable };
}

function forgetIn(file: string, home: Home, wish: ForgetWish): boolean {
  const db = connect(file);
  try {
    const deleted = db.transaction(() => forgetting(db, home, wish).drop()).immediate();
    if (deleted > 0) compact(db, file);
    return deleted > 0;
  } finally {
    db.close();
  }
}
