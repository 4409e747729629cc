/**
 * The index over source files and commits: pieces of files, and messages with the files that a commit
 * changed. Their text stays in the repository.
 */
import { anyOf, best, countOf, type Match, match, projectWord, quoted } from './full-text.ts';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export interface IndexedFile {
  readonly projectId: number;
  readonly path: string;
  /** The id of the content; empty for a document that was imported. */
  readonly blob: string;
  /** The name of an imported document. */
  readonly uid: string | null;
}

export interface CodePiece {
  readonly firstLine: number;
  readonly lastLine: number;
  /** Names that it declares, one in each line. */
  readonly symbols: string;
  readonly words: { readonly files: string; readonly symbols: string; readonly body: string };
}

export interface FoundPiece extends Match {
  readonly path: string;
  /** The path, or the name of an imported document. */
  readonly name: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly symbols: string;
}

/** A commit whose message describes its files. */
export type IndexedCommit = RowOf<typeof COMMIT>;

const COMMIT = rowFormat({
  projectId: is.number,
  oid: is.text,
  at: is.date,
  files: is.json<readonly string[]>(),
  /** `null` if only its words were imported. */
  title: is.orNull(is.text),
  author: is.orNull(is.text),
});

export interface FoundCommit extends Match {
  readonly oid: string;
  /** Milliseconds. */
  readonly at: number;
  /** JSON. */
  readonly files: string;
  readonly title: string | null;
  readonly author: string | null;
}

/** The size of a large project: above it, rows of other projects are ranked as well, and left out afterwards. */
const MANY = 10_000;

export const codeStore = tableStore(COMMIT, ({ all, column, count, one, rows, value, writing }) => {
  const addChunk = count<[IndexedFile & Omit<CodePiece, 'words'>]>(
    `INSERT INTO code_chunks (project_id, path, blob, first_line, last_line, symbols, uid)
     VALUES (:projectId, :path, :blob, :firstLine, :lastLine, :symbols, :uid) RETURNING id`,
  );
  const addChunkWords = writing<[CodePiece['words'] & { id: number; project: string }]>(
    'INSERT INTO code_words (rowid, project, files, symbols, body) VALUES (:id, :project, :files, :symbols, :body)',
  );
  const dropChunks = writing<[projectId: number, path: string]>(
    'DELETE FROM code_chunks WHERE project_id = ? AND path = ?',
  );
  const dropChunkWords = writing<[projectId: number, path: string]>(
    'DELETE FROM code_words WHERE rowid IN (SELECT id FROM code_chunks WHERE project_id = ? AND path = ?)',
  );
  // The best rows come first, so that no more are looked up than are wanted: -1 is no limit.
  const findChunks = rows<
    [match: string, most: number, projectId: number, limit: number],
    FoundPiece
  >(
    `SELECT id, score, path, coalesce(uid, path) AS name, first_line AS firstLine,
            last_line AS lastLine, symbols
       FROM (${best('code_words', '5, 3, 1')}) CROSS JOIN code_chunks USING (id)
      WHERE project_id = ? LIMIT ?`,
  );
  const namesOf = rows<[projectId: number, paths: string], { path: string; name: string }>(
    `SELECT path, coalesce(uid, path) AS name FROM code_chunks
      WHERE project_id = ? AND path IN (SELECT value FROM json_each(?)) AND last_line > 0
      GROUP BY path`,
  );
  const countOfProject = count<[projectId: number]>(
    `SELECT count(*) FROM (SELECT 1 FROM code_chunks WHERE project_id = ? LIMIT ${MANY})`,
  );
  const countChunks = count<[match: string]>(countOf('code_words'));
  const addCommit = value<[IndexedCommit], number>(
    `${COMMIT.insert('commit_files')} ON CONFLICT DO NOTHING RETURNING id`,
  );
  const addCommitWords = writing<[{ id: number; project: string; title: string; body: string }]>(
    'INSERT INTO commit_words (rowid, project, title, body) VALUES (:id, :project, :title, :body)',
  );
  const dropCommit = writing<[projectId: number, oid: string]>(
    'DELETE FROM commit_files WHERE project_id = ? AND oid = ?',
  );
  const dropCommitWords = writing<[projectId: number, oid: string]>(
    'DELETE FROM commit_words WHERE rowid IN (SELECT id FROM commit_files WHERE project_id = ? AND oid = ?)',
  );
  const findCommits = rows<[match: string, limit: number], FoundCommit>(
    `SELECT id, score, at, oid, files, commit_files.title, author
       FROM (${best('commit_words', '3, 1')}) JOIN commit_files USING (id)`,
  );

  function dropFile(projectId: number, path: string): void {
    dropChunkWords(projectId, path);
    dropChunks(projectId, path);
  }

  return {
    /** Replaces all pieces of a file; a file without pieces is known, and not searched. */
    putFile(file: IndexedFile, pieces: readonly CodePiece[]): void {
      const { projectId, path } = file;
      dropFile(projectId, path);
      const project = projectWord(projectId);
      for (const { words, ...piece } of pieces) {
        const id = addChunk({ ...file, ...piece });
        addChunkWords({ ...words, id, project });
      }
      if (pieces.length === 0) {
        addChunk({ ...file, firstLine: 0, lastLine: 0, symbols: '' });
      }
    },
    dropFile,
    /** The content of each file that was read from the repository. */
    blobs: rows<[projectId: number], { path: string; blob: string }>(
      "SELECT DISTINCT path, blob FROM code_chunks WHERE project_id = ? AND blob <> ''",
    ),
    /** Files that are searched. */
    paths: column<[projectId: number], string>(
      'SELECT DISTINCT path FROM code_chunks WHERE project_id = ? AND last_line > 0 ORDER BY path',
    ),
    /** The names of files that are searched, by path: the path itself, unless the file was imported. */
    namesOf: (projectId: number, paths: readonly string[]): ReadonlyMap<string, string> =>
      new Map(namesOf(projectId, JSON.stringify(paths)).map(({ path, name }) => [path, name])),
    chunksWith: (word: string) => countChunks(quoted(word)),
    chunkCount: value<[], number>('SELECT count(*) FROM code_chunks'),
    /** The best pieces with any of the words or phrases. */
    matchChunks(projectId: number, words: readonly string[], limit: number): FoundPiece[] {
      // For the word of a project, FTS5 reads all of its rows.
      const isLarge = countOfProject(projectId) === MANY;
      return isLarge
        ? findChunks(anyOf(words), -1, projectId, limit)
        : findChunks(match(words, [projectId]), limit, projectId, limit);
    },
    chunkHas: value<[word: string, id: number], number>(
      'SELECT 1 FROM code_words WHERE code_words MATCH ? AND rowid = ?',
    ),

    putCommit(commit: IndexedCommit, words: { title: string; body: string }): void {
      const id = addCommit(commit);
      if (id !== undefined) {
        addCommitWords({ ...words, id, project: projectWord(commit.projectId) });
      }
    },
    dropCommit(projectId: number, oid: string): void {
      dropCommitWords(projectId, oid);
      dropCommit(projectId, oid);
    },
    /** Lists commits that were read from the repository. */
    oids: column<[projectId: number], string>(
      'SELECT oid FROM commit_files WHERE project_id = ? AND title IS NOT NULL',
    ),
    /** The commits in the order in which they were made. */
    commits: all<[projectId: number]>(
      `SELECT ${COMMIT.names} FROM commit_files WHERE project_id = ? ORDER BY at, oid`,
    ),
    /** The newest first. @param path as it is in JSON, with its quotes: nothing is parsed. */
    commitsOfFile: rows<[projectId: number, path: string], { files: string; title: string | null }>(
      `SELECT files, title FROM commit_files WHERE project_id = ? AND instr(files, ?) > 0
        ORDER BY at DESC LIMIT 200`,
    ),
    /** @param path as it is in JSON. */
    lastChange: one<[projectId: number, path: string]>(
      `SELECT ${COMMIT.names} FROM commit_files WHERE project_id = ? AND instr(files, ?) > 0
        ORDER BY at DESC, id DESC LIMIT 1`,
    ),
    matchCommits: (projectId: number, words: readonly string[], limit: number) =>
      findCommits(match(words, [projectId]), limit),
  };
});
