/** Deletes what is older than it is kept, in all projects. */
import type { Store } from './open.ts';

/** The times before which records are deleted; `null`: never. */
export interface PruneLimits {
  readonly events: Date | null;
  readonly suggestions: Date | null;
  readonly summaries: Date | null;
}

export interface Pruned {
  readonly events: number;
  /** Waiting and put-aside suggestions. */
  readonly suggestions: number;
  readonly summaries: number;
  /** Records of what sessions were shown, and of calls of the model that picks it. */
  readonly records: number;
}

const SUGGESTIONS = `path IS NULL AND status IN ('suggested', 'archived') AND at < :suggestions`;
const SUMMARIES = `path IS NULL AND kind = 'summary' AND at < :summaries`;
const ITEMS = `(${SUGGESTIONS}) OR (${SUMMARIES})`;

const EVENTS = ['observations', 'at < :events', 'id'] as const;
const RECORDS = [
  ['recall_shown', 'at < :events', 'agent, session, uid'],
  ['recall_told', 'at < :events', 'id'],
  ['injections', 'at < :events', 'session, subject'],
  ['model_calls', 'at < :events', 'id'],
] as const;

const given = ({ events, suggestions, summaries }: PruneLimits) => ({
  events: events?.getTime() ?? null,
  suggestions: suggestions?.getTime() ?? null,
  summaries: summaries?.getTime() ?? null,
});

/** The numbers of rows that would be deleted. */
export function prunable({ db }: Pick<Store, 'db'>, limits: PruneLimits): Pruned {
  const values = given(limits);
  const count = (table: string, where: string): number =>
    db
      .prepare<[typeof values], number>(`SELECT count(*) FROM ${table} WHERE ${where}`)
      .pluck()
      .get(values) ?? 0;
  return {
    events: count(EVENTS[0], EVENTS[1]),
    suggestions: count('recall_items', SUGGESTIONS),
    summaries: count('recall_items', `${SUMMARIES} AND NOT (${SUGGESTIONS})`),
    records: RECORDS.reduce((sum, [table, where]) => sum + count(table, where), 0),
  };
}

/** Rows of one transaction, for which concurrent hooks wait. */
const STEP = 5_000;

/** Deletes in steps, so that no hook waits for long. */
export function prune(store: Store, limits: PruneLimits): Pruned {
  const pruned = prunable(store, limits);
  const values = given(limits);
  const remove = (table: string, where: string) =>
    store.db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(values).changes;
  store.write(() => {
    remove('item_words', `rowid IN (SELECT id FROM recall_items WHERE ${ITEMS})`);
    remove('recall_items', ITEMS);
  });
  for (const [table, where, key] of [EVENTS, ...RECORDS]) {
    const some = `(${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${STEP})`;
    while (store.write(() => remove(table, some)) > 0);
  }
  return pruned;
}
