/** Queries of the full-text indexes. Words are prepared by `src/recall/words.ts`. */

export interface Match {
  /** Of the row. */
  readonly id: number;
  /** Larger is better. */
  readonly score: number;
}

/** The word in the index that stands for a project, so that nothing of another one is even ranked. */
export const projectWord = (projectId: number | null) => `project${projectId ?? 0}`;

/** Finds any of the words, in what belongs to the project or to all projects. */
export function match(projectId: number, words: readonly string[]): string {
  const quoted = words.map((word) => `"${word.replaceAll('"', '')}"`);
  return `project : ("${projectWord(projectId)}" OR "${projectWord(null)}") AND (${quoted.join(' OR ')})`;
}

/** FTS5 sorts, so that no row is read of what is not among the best. */
export const best = (table: string, weights: string) =>
  `SELECT rowid AS id, -rank AS score FROM ${table}
    WHERE ${table} MATCH ? AND rank MATCH 'bm25(0, ${weights})' ORDER BY rank LIMIT ?`;
