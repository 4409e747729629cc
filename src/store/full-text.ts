/** Queries for the full-text indexes. Words are prepared by `src/recall/words.ts`. */

export interface Match {
  readonly id: number;
  /** Larger is better. */
  readonly score: number;
}

/** The word in the index that stands for a project, so that rows of others are not ranked. */
export const projectWord = (projectId: number | null) => `project${projectId ?? 0}`;

/** A query for any of the words or phrases in one of the projects; `null`: all projects. */
export function match(words: readonly string[], projects: readonly (number | null)[]): string {
  return `(${anyOf(words)}) AND project : (${anyOf(projects.map(projectWord))})`;
}

export const anyOf = (words: readonly string[]): string => words.map(quoted).join(' OR ');

/** A word, or a phrase of several; `swim*`: any word with this beginning. */
export const quoted = (word: string): string =>
  `"${word.replaceAll(/["*]/g, '')}"${word.endsWith('*') ? '*' : ''}`;

/** The number of rows with a word, up to a limit: FTS5's own tables of counts read all rows. */
export const countOf = (table: string) =>
  `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ${COUNTED})`;
const COUNTED = 4_000;

/** The best rows. SQLite sorts and keeps only these; `ORDER BY rank` would also copy the positions of every match. */
export const best = (table: string, weights: string) =>
  `SELECT rowid AS id, -bm25(${table}, 0, ${weights}) AS score FROM ${table}
    WHERE ${table} MATCH ? ORDER BY score DESC LIMIT ?`;
