/** Deletes what is older than it is kept, in all projects. */
import type { Store } from './open.ts';

/** What is from before these times goes; `null`: nothing. */
export interface PruneLimits {
  readonly events: Date | null;
  readonly suggestions: Date | null;
  readonly summaries: Date | null;
}

export interface Pruned {
  readonly events: number;
  /** Those that wait, and those that were put aside. */
  readonly suggestions: number;
  readonly summaries: number;
  /** What sessions were shown. */
  readonly records: number;
}

const SUGGESTIONS = `path IS NULL AND status IN ('suggested', 'archived') AND at < :suggestions`;
const SUMMARIES = `path IS NULL AND kind = 'summary' AND at < :summaries`;
const ITEMS = `(${SUGGESTIONS}) OR (${SUMMARIES})`;

const RECORDS: readonly (readonly [table: string, where: string, key: string])[] = [
  ['recall_shown', 'at < :events', 'agent, session, uid'],
  ['recall_told', 'at < :events', 'id'],
  ['injections', 'at < :events', 'session, subject'],
];

const given = (limits: PruneLimits) => ({
  events: limits.events?.getTime() ?? null,
  suggestions: limits.suggestions?.getTime() ?? null,
  summaries: limits.summaries?.getTime() ?? null,
});

/** How much would go. */
export function prunable(store: Pick<Store, 'db' | 'home'>, limits: PruneLimits): Pruned {
  const { db } = store;
  const values = given(limits);
  const count = (table: string, where: string): number =>
    db
      .prepare<[typeof values], number>(`SELECT count(*) FROM ${table} WHERE ${where}`)
      .pluck()
      .get(values) ?? 0;
  return {
    events: count('observations', 'at < :events'),
    suggestions: count('recall_items', SUGGESTIONS),
    summaries: count('recall_items', `${SUMMARIES} AND NOT (${SUGGESTIONS})`),
    records: RECORDS.reduce((sum, [table, where]) => sum + count(table, where), 0),
  };
}

/** Rows of one transaction: hooks that write meanwhile wait for it. */
const STEP = 5_000;

/** Deletes in steps, so that no hook waits for long. */
export function prune(store: Store, limits: PruneLimits): Pruned {
  const { db } = store;
  const pruned = prunable(store, limits);
  const values = given(limits);
  const step = (table: string, where: string, key: string): void => {
    const some = `SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${STEP}`;
    const columns = key.includes(',') ? `(${key})` : key;
    const remove = db.prepare(`DELETE FROM ${table} WHERE ${columns} IN (${some})`);
    while (store.write(() => remove.run(values).changes) > 0);
  };
  step('observations', 'at < :events', 'id');
  store.write(() => {
    db.prepare(
      `DELETE FROM item_words WHERE rowid IN (SELECT id FROM recall_items WHERE ${ITEMS})`,
    ).run(values);
    db.prepare(`DELETE FROM recall_items WHERE ${ITEMS}`).run(values);
  });
  for (const [table, where, key] of RECORDS) step(table, where, key);
  return pruned;
}
