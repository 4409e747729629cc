/** The items of recall, and full-text search over them. Words are prepared by `src/recall/words.ts`. */
import { anyOf, best, countOf, type Match, match, projectWord } from './full-text.ts';
import type { Store } from './open.ts';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export const NOTE_KINDS = ['decision', 'gotcha', 'preference', 'fact', 'instruction'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** Whether people or agents wrote it, or confirm it; other items are summaries and imports. */
export const isNote = ({ kind }: Pick<RecallItem, 'kind'>): boolean =>
  NOTE_KINDS.some((it) => it === kind);

/** Whether an agent may be told it: some notes are for one agent alone. */
export const isFor = (item: Pick<RecallItem, 'agent'>, agent: string): boolean =>
  (item.agent ?? agent) === agent;

const IS_NOTE = `status = 'active' AND kind IN (${NOTE_KINDS.map((it) => `'${it}'`).join(', ')})`;

export type RecallItem = RowOf<typeof ITEM>;

const ITEM = rowFormat({
  /** The name for people and agents: `lh-7f3a2c`. */
  uid: is.text,
  /** `null`: an item of every project. */
  projectId: is.orNull(is.number),
  /** A `NoteKind`, `summary`, or the kind of an import. */
  kind: is.text,
  status: is.plain<'active' | 'suggested' | 'superseded' | 'archived'>(),
  title: is.text,
  body: is.text,
  /** Words of prompts to which it is relevant. */
  conditions: is.text,
  /** Relative to the project. */
  files: is.json<readonly string[]>(),
  /** Commits (`commit:…`), features (`feature:…`), sessions and other items. */
  links: is.json<readonly string[]>(),
  /** Patterns of command lines before which it is shown: `npm publish*`. */
  commands: is.json<readonly string[]>(),
  /** The observation from which a suggestion was inferred. */
  why: is.orNull(is.text),
  /** The document with its text; `null` if only the database has it. */
  path: is.orNull(is.text),
  source: is.text,
  agent: is.orNull(is.text),
  session: is.orNull(is.text),
  at: is.date,
  /** The time when it was last found true. */
  checkedAt: is.orNull(is.date),
  /** The digest of the shown text: a changed item is shown again. */
  digest: is.text,
  /** The fingerprints of `files` at its writing, by path. */
  anchors: is.orNull(is.json<Readonly<Record<string, string>>>()),
});

/** The file of an agent that it was read from, in a person's spelling: `~/.agent/memory.md`. */
export const fileOf = ({ links }: Pick<RecallItem, 'links'>): string | undefined =>
  links.find((it) => it.startsWith('file:'))?.slice('file:'.length);

/** `src/auth/` of `src/auth/**`: every match begins with it. */
const folderBeforeGlob = (glob: string): string =>
  /^(?:[^/[\]*?{}()!+@]*\/)*/.exec(glob)?.[0] ?? '';

/** The condition is written as in the index `notes_by_age`, or SQLite does not use it. */
const newestIds = (project: string): string =>
  `SELECT id FROM recall_items WHERE project_id ${project} AND ${IS_NOTE} ORDER BY at DESC, uid LIMIT ?2`;

/** The condition makes SQLite read the index of the few matching notes, not all notes. */
const notesWhere = (condition: string): string =>
  `SELECT * FROM recall_items WHERE coalesce(project_id, ?1) = ?1 AND ${condition} AND ${IS_NOTE}
    ORDER BY at DESC, uid`;

export interface ItemWords {
  readonly title: string;
  readonly conditions: string;
  readonly files: string;
  readonly body: string;
}

/** A found item, or a turn with the negative number of its first observation and no kind. */
export interface ItemOrTurn extends Match {
  readonly kind: string | null;
  /** Milliseconds; 0 for a turn. */
  readonly at: number;
}

export const recallStore = tableStore(ITEM, ({ all, column, count, one, rows, value, writing }) => {
  const addItem = count<[RecallItem]>(`${ITEM.insert('recall_items')} RETURNING id`);
  const ownersOf = rows<[uids: string], { uid: string; project_id: number | null }>(
    'SELECT uid, project_id FROM recall_items WHERE uid IN (SELECT value FROM json_each(?))',
  );
  const dropItem = writing<[uid: string]>('DELETE FROM recall_items WHERE uid = ?');
  const dropWords = writing<[uid: string]>(
    'DELETE FROM item_words WHERE rowid = (SELECT id FROM recall_items WHERE uid = ?)',
  );
  const addWords = writing<[ItemWords & { id: number; project: string }]>(
    `INSERT INTO item_words (rowid, project, title, conditions, files, body)
     VALUES (:id, :project, :title, :conditions, :files, :body)`,
  );
  const dropWordsOfTurn = writing<[id: number]>('DELETE FROM item_words WHERE rowid = -?');
  const dropVector = writing<[id: number]>('DELETE FROM vectors WHERE piece = -?');
  const findItems = rows<[match: string, limit: number], ItemOrTurn>(
    `SELECT id, score, kind, coalesce(at, 0) AS at FROM (${best('item_words', '3, 4, 5, 1')})
       LEFT JOIN recall_items USING (id)`,
  );
  const idsOfPaths = column<[paths: string], number>(
    'SELECT item_id FROM item_files WHERE is_path AND file IN (SELECT value FROM json_each(?))',
  );
  const globsOf = rows<[projectId: number], { id: number; file: string }>(
    `SELECT item_id AS id, file FROM item_files CROSS JOIN recall_items ON id = item_id
      WHERE NOT is_path AND (project_id = ? OR project_id IS NULL)`,
  );
  const notesOf = all<[projectId: number, ids: string]>(
    `SELECT * FROM recall_items WHERE id IN (SELECT value FROM json_each(?2))
        AND (project_id = ?1 OR project_id IS NULL) AND ${IS_NOTE} ORDER BY at DESC, uid`,
  );
  const countItems = count<[match: string]>(countOf('item_words'));
  function remove(uid: string): void {
    dropWords(uid);
    dropItem(uid);
  }
  function dropTurn(id: number): void {
    dropWordsOfTurn(id);
    // Its answer may be new.
    dropVector(id);
  }
  return {
    /** Adds it, or replaces the one with this uid; call it inside a write. */
    put(item: RecallItem, words: ItemWords): void {
      remove(item.uid);
      const id = addItem(item);
      addWords({ ...words, id, project: projectWord(item.projectId) });
    },
    remove,
    /** Indexes the words of a turn like those of an item, under the negative number of its first observation. */
    putTurn(id: number, projectId: number, words: ItemWords): void {
      dropTurn(id);
      addWords({ ...words, id: -id, project: projectWord(projectId) });
    },
    dropTurn,
    hasTurn: value<[id: number], number>('SELECT 1 FROM item_words WHERE rowid = -?'),
    find: one<[uid: string]>('SELECT * FROM recall_items WHERE uid = ?'),
    /** The project of each existing item; `null`: every project. */
    ownersOf: (uids: readonly string[]): ReadonlyMap<string, number | null> =>
      new Map(ownersOf(JSON.stringify(uids)).map(({ uid, project_id }) => [uid, project_id])),
    /** @param ids those of the rows, as JSON. */
    ofRows: all<[ids: string]>(
      'SELECT * FROM recall_items WHERE id IN (SELECT value FROM json_each(?))',
    ),
    /** The rows and names of the summaries before a time (milliseconds), newest first. */
    newestSummaries: rows<
      [projectId: number, before: number, limit: number],
      { id: number; uid: string }
    >(
      `SELECT id, uid FROM recall_items
        WHERE project_id = ? AND kind = 'summary' AND at < ? ORDER BY at DESC, id DESC LIMIT ?`,
    ),
    /** Imported messages that directly follow others of their session, with the names of those. @param uids as JSON. */
    messagesAfter: rows<[uids: string], { uid: string; after: string }>(
      `SELECT next.uid, it.uid AS after FROM recall_items AS it
         JOIN recall_items AS next ON next.id = it.id + 1 AND next.session = it.session
          AND next.project_id = it.project_id AND next.source = 'import'
        WHERE it.uid IN (SELECT value FROM json_each(?))`,
    ),
    /** Items of the project and of all projects, newest first. */
    list: all<[projectId: number]>(
      'SELECT * FROM recall_items WHERE project_id = ? OR project_id IS NULL ORDER BY at DESC, uid',
    ),
    /** Notes that name one of the paths, or may match it with a glob, newest first. */
    withFiles(projectId: number, paths: readonly string[]): RecallItem[] {
      const globs = globsOf(projectId).filter(({ file }) => {
        const start = folderBeforeGlob(file);
        return paths.some((path) => path.startsWith(start));
      });
      const ids = new Set([...idsOfPaths(JSON.stringify(paths)), ...globs.map(({ id }) => id)]);
      return ids.size === 0 ? [] : notesOf(projectId, JSON.stringify([...ids]));
    },
    /** Notes that are shown before some commands, newest first. */
    withCommands: all<[projectId: number]>(notesWhere("commands <> '[]'")),
    withConditions: all<[projectId: number]>(notesWhere("conditions <> ''")),
    /** The newest notes of the project that are bound to files; `anchors` is JSON by path. */
    boundNotes: rows<[projectId: number, limit: number], { uid: string; anchors: string }>(
      `SELECT uid, anchors FROM recall_items WHERE anchors IS NOT NULL AND id IN (${newestIds('= ?1')})`,
    ),
    /** Notes of the project and of all projects. */
    newestNotes: all<[projectId: number, limit: number]>(
      `SELECT * FROM recall_items WHERE id IN (
         SELECT * FROM (${newestIds('= ?1')}) UNION ALL SELECT * FROM (${newestIds('IS NULL')}))
        ORDER BY at DESC, uid LIMIT ?2`,
    ),
    /** How many notes there are, 1,000 at most. */
    noteCount: value<[projectId: number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM recall_items WHERE project_id = ? AND ${IS_NOTE} LIMIT 1000)`,
    ),
    /** Standing instructions of a person, the newest first, 500 at most. */
    standing: all<[projectId: number]>(
      `SELECT * FROM recall_items WHERE (project_id = ?1 OR project_id IS NULL) AND ${IS_NOTE}
          AND kind IN ('preference', 'instruction') ORDER BY at DESC, id DESC LIMIT 500`,
    ),
    /** Files of the newest commits, as JSON. */
    newestCommits: column<[projectId: number, limit: number], string>(
      'SELECT files FROM commit_files WHERE project_id = ? ORDER BY at DESC, id DESC LIMIT ?',
    ),
    matchItems: (projectId: number, words: readonly string[], limit: number): ItemOrTurn[] =>
      findItems(match(words, [projectId, null]), limit),
    /** The number of items and turns with a word, without other projects. */
    itemsWith: (projectId: number, word: string) => countItems(match([word], [projectId, null])),
    itemCount: (projectId: number) => countItems(anyOf([projectId, null].map(projectWord))),
  };
});

/** Whether there is any item for the project. */
export function remembersAnything(store: Store, projectId: number): boolean {
  return remembered(store)(projectId) !== undefined;
}

const remembered = tableStore(null, ({ value }) =>
  value<[projectId: number], number>(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM recall_items WHERE project_id = ?1 AND status = 'active')
        OR EXISTS (SELECT 1 FROM recall_items WHERE project_id IS NULL AND status = 'active')
        OR EXISTS (SELECT 1 FROM guards WHERE project_id = ?1)
        OR EXISTS (SELECT 1 FROM commit_files WHERE project_id = ?1)`,
  ),
);
