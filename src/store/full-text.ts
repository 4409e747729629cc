/** Queries of the full-text indexes. Words are prepared by `src/recall/words.ts`. */

export interface Match {
  /** The number of the row. */
  readonly id: number;
  /** Larger is better. */
  readonly score: number;
}

/** The word in the index that stands for a project, so that what others have is not ranked. */
export const projectWord = (projectId: number | null) => `project${projectId ?? 0}`;

/** Finds any of the words or phrases in what belongs to one of the projects; `null`: to all projects. */
export function match(words: readonly string[], projects: readonly (number | null)[]): string {
  return `project : (${anyOf(projects.map(projectWord))}) AND (${anyOf(words)})`;
}

export const anyOf = (words: readonly string[]): string => words.map(quoted).join(' OR ');

/** A word, or a phrase of several; `swim*`: any word that begins so. */
export const quoted = (word: string): string =>
  `"${word.replaceAll(/["*]/g, '')}"${word.endsWith('*') ? '*' : ''}`;

/** How many rows have a word, up to a limit: the tables of FTS5 that say how many read all of them. */
export const countOf = (table: string) =>
  `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ${COUNTED})`;
const COUNTED = 5_000;

/** FTS5 sorts, so that no row is read of what is not among the best. */
export const best = (table: string, weights: string) =>
  `SELECT rowid AS id, -rank AS score FROM ${table}
    WHERE ${table} MATCH ? AND rank MATCH 'bm25(0, ${weights})' ORDER BY rank LIMIT ?`;
