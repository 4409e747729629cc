/**
 * What can be recalled, and full-text search over it. Words are prepared by `src/recall/words.ts`: a
 * query consists of words that are indexed.
 */
import { PRIVATE, replaceFile } from '../files/replace-file.ts';
import type { Store } from './open.ts';
import { plain, rowFormat, tableStore } from './rows.ts';

export const NOTE_KINDS = ['decision', 'gotcha', 'preference', 'fact', 'instruction'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

const IS_NOTE = `status = 'active' AND kind IN (${NOTE_KINDS.map((it) => `'${it}'`).join(', ')})`;

export interface RecallItem {
  /** What people and agents name it by: `lh-7f3a2c`. */
  readonly uid: string;
  /** `null`: of every project. */
  readonly projectId: number | null;
  /** A `NoteKind`, `summary`, or what an import says. */
  readonly kind: string;
  readonly status: 'active' | 'suggested' | 'superseded' | 'archived';
  readonly title: string;
  readonly body: string;
  /** Words of prompts to which it is relevant. */
  readonly conditions: string;
  /** Relative to the project. */
  readonly files: readonly string[];
  /** Commits (`commit:…`), features (`feature:…`), sessions and other items. */
  readonly links: readonly string[];
  /** Patterns of command lines before which it is told: `npm publish*`. */
  readonly commands: readonly string[];
  /** Of a suggestion: what it was inferred from. */
  readonly why: string | null;
  /** The document that it is read from; `null` where the database is the only place. */
  readonly path: string | null;
  readonly branch: string | null;
  readonly source: string;
  readonly agent: string | null;
  readonly session: string | null;
  readonly at: Date;
  /** Last found true. */
  readonly checkedAt: Date | null;
  /** Of what is shown: an item that changed is shown again. */
  readonly digest: string;
  /** Fingerprints of `files` when it was written, by path. */
  readonly anchors: Readonly<Record<string, string>> | null;
}

const ITEM = rowFormat<RecallItem>({
  ...plain('uid', 'projectId', 'kind', 'status', 'title', 'body', 'path', 'branch', 'source'),
  ...plain('agent', 'session', 'digest', 'conditions', 'why'),
  commands: 'json',
  files: 'json',
  links: 'json',
  anchors: 'json',
  at: 'date',
  checkedAt: 'date',
});

/** The words of an item, by field. */
export interface ItemWords {
  readonly title: string;
  readonly conditions: string;
  readonly files: string;
  readonly body: string;
}

interface Match {
  /** Of the row. */
  readonly id: number;
  /** Larger is better. */
  readonly score: number;
}

/** A piece of a source file. */
export interface Chunk {
  readonly projectId: number;
  readonly path: string;
  readonly blob: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Names that it declares, in words. */
  readonly symbols: string;
}

/** A commit whose message tells what its files are about. */
export interface IndexedCommit {
  readonly projectId: number;
  readonly oid: string;
  readonly at: Date;
  readonly files: readonly string[];
}

/** The word in the index that stands for a project, so that nothing of another one is even ranked. */
const projectWord = (projectId: number | null) => `project${projectId ?? 0}`;

/** Finds any of the words, in what belongs to the project or to all projects. */
function match(projectId: number, words: readonly string[]): string {
  const quoted = words.map((word) => `"${word.replaceAll('"', '')}"`);
  return `project : ("${projectWord(projectId)}" OR "${projectWord(null)}") AND (${quoted.join(' OR ')})`;
}

/** FTS5 sorts, so that no row is read of what is not among the best. */
const best = (table: string, weights: string) =>
  `SELECT rowid AS id, -rank AS score FROM ${table}
    WHERE ${table} MATCH ? AND rank MATCH 'bm25(0, ${weights})' ORDER BY rank LIMIT ?`;

const COMMIT = rowFormat<IndexedCommit>({
  ...plain('projectId', 'oid'),
  at: 'date',
  files: 'json',
});

export const recallStore = tableStore(ITEM, ({ all, column, one, rows, value, writing }, of) => {
  const putItem = value<[RecallItem], number>(
    `${ITEM.insert('recall_items')} ON CONFLICT (uid) DO UPDATE SET
       ${[...ITEM.names.split(', ')].map((name) => `${name} = excluded.${name}`).join(', ')}
     RETURNING id`,
  );
  const idOf = value<[uid: string], number>('SELECT id FROM recall_items WHERE uid = ?');
  const dropItem = writing<[id: number]>('DELETE FROM recall_items WHERE id = ?');
  const dropWords = writing<[id: number]>('DELETE FROM item_words WHERE rowid = ?');
  const addWords = writing<[ItemWords & { id: number; project: string }]>(
    `INSERT INTO item_words (rowid, project, title, conditions, files, body)
     VALUES (:id, :project, :title, :conditions, :files, :body)`,
  );
  const findItems = rows<[match: string, limit: number], Match>(best('item_words', '3, 4, 5, 1'));
  const addChunk = value<[Chunk], number>(
    `INSERT INTO code_chunks (project_id, path, blob, first_line, last_line, symbols)
     VALUES (:projectId, :path, :blob, :firstLine, :lastLine, :symbols) RETURNING id`,
  );
  const addChunkWords = writing<
    [{ id: number; project: string; files: string; symbols: string; body: string }]
  >(
    'INSERT INTO code_words (rowid, project, files, symbols, body) VALUES (:id, :project, :files, :symbols, :body)',
  );
  const chunksOf = rows<[projectId: number, path: string], { id: number }>(
    'SELECT id FROM code_chunks WHERE project_id = ? AND path = ?',
  );
  const dropChunk = writing<[id: number]>('DELETE FROM code_chunks WHERE id = ?');
  const dropChunkWords = writing<[id: number]>('DELETE FROM code_words WHERE rowid = ?');
  const findChunks = rows<
    [match: string, limit: number],
    Match & { path: string; firstLine: number }
  >(
    `SELECT id, score, path, first_line AS firstLine FROM (${best('code_words', '5, 3, 1')})
       JOIN code_chunks USING (id)`,
  );
  const addCommit = value<[IndexedCommit], number>(
    `INSERT INTO commit_files (project_id, oid, at, files) VALUES (:projectId, :oid, :at, :files)
       ON CONFLICT DO NOTHING RETURNING id`,
  );
  const addCommitWords = writing<[{ id: number; project: string; title: string; body: string }]>(
    'INSERT INTO commit_words (rowid, project, title, body) VALUES (:id, :project, :title, :body)',
  );
  const findCommits = rows<[match: string, limit: number], Match & { at: number; files: string }>(
    `SELECT id, score, at, files FROM (${best('commit_words', '3, 1')}) JOIN commit_files USING (id)`,
  );
  return {
    /** Adds it, or replaces the one with this uid; call it inside a write. */
    put(item: RecallItem, words: ItemWords): void {
      const known = idOf(item.uid);
      if (known !== undefined) dropWords(known);
      const id = putItem(item) as number;
      addWords({ ...words, id, project: projectWord(item.projectId) });
    },
    remove(uid: string): boolean {
      const id = idOf(uid);
      return id !== undefined && dropWords(id) && dropItem(id);
    },
    find: one<[uid: string]>('SELECT * FROM recall_items WHERE uid = ?'),
    ofRow: one<[id: number]>('SELECT * FROM recall_items WHERE id = ?'),
    /** Of the project and of all projects, newest first. */
    list: all<[projectId: number]>(
      'SELECT * FROM recall_items WHERE project_id = ? OR project_id IS NULL ORDER BY at DESC, uid',
    ),
    /** Notes that are told before some files are edited, newest first. */
    withFiles: all<[projectId: number]>(
      `SELECT * FROM recall_items WHERE (project_id = ? OR project_id IS NULL) AND files <> '[]'
         AND ${IS_NOTE} ORDER BY at DESC, uid`,
    ),
    /** Notes that are told before some commands, newest first. */
    withCommands: all<[projectId: number]>(
      `SELECT * FROM recall_items WHERE (project_id = ? OR project_id IS NULL) AND commands <> '[]'
         AND ${IS_NOTE} ORDER BY at DESC, uid`,
    ),
    /** Of the project and of all projects. */
    newestNotes: all<[projectId: number, limit: number]>(
      `SELECT * FROM recall_items WHERE (project_id = ? OR project_id IS NULL) AND ${IS_NOTE}
        ORDER BY at DESC, uid LIMIT ?`,
    ),
    /** Files of the newest commits, as JSON. */
    newestCommits: column<[projectId: number, limit: number], string>(
      'SELECT files FROM commit_files WHERE project_id = ? ORDER BY at DESC, id DESC LIMIT ?',
    ),
    hasAny: value<[projectId: number], number>(
      'SELECT 1 FROM recall_items WHERE project_id = ? OR project_id IS NULL LIMIT 1',
    ),
    matchItems: (projectId: number, words: readonly string[], limit: number): Match[] =>
      findItems(match(projectId, words), limit),
    /** In how many items, and pieces of files, a word occurs. */
    itemsWith: value<[word: string], number>('SELECT doc FROM item_terms WHERE term = ?'),
    chunksWith: value<[word: string], number>('SELECT doc FROM code_terms WHERE term = ?'),
    itemCount: value<[], number>('SELECT count(*) FROM recall_items'),
    chunkCount: value<[], number>('SELECT count(*) FROM code_chunks'),

    /** Replaces all pieces of a file. */
    putFile(
      { projectId, path }: Pick<Chunk, 'projectId' | 'path'>,
      pieces: readonly { chunk: Chunk; body: string; files: string }[],
    ): void {
      for (const { id } of chunksOf(projectId, path)) {
        dropChunkWords(id);
        dropChunk(id);
      }
      for (const { chunk, body, files } of pieces) {
        const id = addChunk(chunk) as number;
        addChunkWords({ id, project: projectWord(projectId), files, symbols: chunk.symbols, body });
      }
    },
    matchChunks: (projectId: number, words: readonly string[], limit: number) =>
      findChunks(match(projectId, words), limit),
    /** Whether the piece has the word. */
    chunkHas: value<[word: string, id: number], number>(
      'SELECT 1 FROM code_words WHERE code_words MATCH ? AND rowid = ?',
    ),
    putCommit(commit: IndexedCommit, words: { title: string; body: string }): void {
      const id = addCommit(commit);
      if (id !== undefined) {
        addCommitWords({ ...words, id, project: projectWord(commit.projectId) });
      }
    },
    /** In the order in which they were made. */
    commits: of(COMMIT).all<[projectId: number]>(
      'SELECT project_id, oid, at, files FROM commit_files WHERE project_id = ? ORDER BY at, oid',
    ),
    /** The newest first. @param path as it stands in JSON, with its quotes: nothing is parsed. */
    commitsOfFile: rows<[projectId: number, path: string], { files: string }>(
      `SELECT files FROM commit_files WHERE project_id = ? AND instr(files, ?) > 0
        ORDER BY at DESC LIMIT 200`,
    ),
    matchCommits: (projectId: number, words: readonly string[], limit: number) =>
      findCommits(match(projectId, words), limit),
  };
});

/**
 * Writes which projects have something to recall to the files that hooks read: they do not open the
 * database for others. `*` stands for all. Called in the transaction that changes them.
 */
export function noteRecallProjects({ db, home }: Store): void {
  const identities = db
    .prepare<[], { identity: string }>(
      `SELECT identity FROM projects
        WHERE id IN (SELECT project_id FROM recall_items WHERE status = 'active')
           OR id IN (SELECT project_id FROM guards)
           OR id IN (SELECT project_id FROM commit_files)
       UNION ALL SELECT '*' WHERE EXISTS (
         SELECT 1 FROM recall_items WHERE project_id IS NULL AND status = 'active')
       ORDER BY identity`,
    )
    .all();
  const lines = identities.map(({ identity }) => `${identity}\n`);
  replaceFile(home.recallProjects, lines.join(''), { mode: PRIVATE });
  const patterns = db
    .prepare<[], { identity: string | null; pattern: string }>(
      `SELECT DISTINCT identity, value AS pattern
         FROM recall_items LEFT JOIN projects ON projects.id = project_id, json_each(commands)
        WHERE commands <> '[]' AND ${IS_NOTE} ORDER BY identity, pattern`,
    )
    .all();
  const patternLines = patterns.map((it) => `${JSON.stringify([it.identity, it.pattern])}\n`);
  replaceFile(home.recallCommands, patternLines.join(''), { mode: PRIVATE });
}
