/** Counts the tokens that recall has cost, and the shown items that were used. */
import { takeLateNow } from '../../recall/late.ts';
import { isNoteOf } from '../../recall/occasions.ts';
import { summaryId } from '../../recall/summaries.ts';
import { modelCallStore } from '../../store/model-calls.ts';
import { observationStore, type StoredObservation } from '../../store/observations.ts';
import type { Store } from '../../store/open.ts';
import { recallStore } from '../../store/recall.ts';
import { type ToldItemRow, toldStore } from '../../store/told.ts';
import { type AppContext, openProject } from '../context.ts';

export type RecallStats = Awaited<ReturnType<typeof recallStats>>;

const OFTEN = 3;
const MOST_UNUSED = 5;

/** Sessions, the last one first, and items that three or more sessions got and none used, the most frequent first. */
export async function recallStats(context: AppContext, limit: number) {
  const { store, projectId } = await openProject(context);
  takeLateNow(store);
  const items = toldUses(store, projectId);
  const used = new Set<string>();
  const sessions = toldStore(store)
    .sessions(projectId, limit)
    .map((it) => {
      const own = items.filter(({ row }) => row.agent === it.agent && row.session === it.session);
      const ownUsed = own.filter((use) => use.used);
      for (const { item } of ownUsed) used.add(item.uid);
      const { agent, began, tokens, most } = it;
      return {
        id: summaryId(it),
        agent,
        /** The time when it was first shown something. */
        at: new Date(began).toISOString(),
        /** The estimated tokens of recalled items, without holds and lanes. */
        tokens,
        /** The most tokens at one time. */
        most,
        told: own.length,
        /** Items that it looked up or cited, or one of whose files it then edited. */
        used: ownUsed.length,
      };
    });
  const sum = (of: 'tokens' | 'told' | 'used') =>
    sessions.reduce((all, session) => all + session[of], 0);
  const unused = [...Map.groupBy(items, ({ item }) => item.uid).values()]
    .flatMap(([first, ...more]) =>
      first === undefined || more.length + 1 < OFTEN || used.has(first.item.uid)
        ? []
        : [{ id: first.item.uid, title: first.item.title, sessions: more.length + 1 }],
    )
    .sort((a, b) => b.sessions - a.sessions || (a.id < b.id ? -1 : 1));
  return {
    sessions,
    tokens: sum('tokens'),
    told: sum('told'),
    used: sum('used'),
    unused: unused.slice(0, MOST_UNUSED),
    /** The cost of the model that picks notes. */
    model: modelCallStore(store).ofProject(projectId),
  };
}

/** The items that each session got, and whether it used each: looked it up, cited it, or edited a file of it. */
export function toldUses(store: Store, projectId: number) {
  const recall = recallStore(store);
  const observations = observationStore(store);
  const bySession = Map.groupBy(
    toldStore(store).items(projectId),
    ({ agent, session }) => `${agent} ${session}`,
  );
  return [...bySession.values()].flatMap((rows) => {
    const [{ agent, session }] = rows as [ToldItemRow];
    const observed = observations.ofSession(agent, session);
    return rows.flatMap((row) => {
      const item = recall.find(row.uid.split(' ')[0] ?? '');
      return item === undefined ? [] : [{ row, item, used: isUsed(row, item.files, observed) }];
    });
  });
}

function isUsed(
  { uid, at, opened }: ToldItemRow,
  files: readonly string[],
  observed: readonly StoredObservation[],
): boolean {
  if (opened === 1) return true;
  const [id = uid] = uid.split(' ');
  return observed.some(
    (it) =>
      it.at.getTime() >= at &&
      ((it.kind === 'edit' && it.files.length > 0 && isNoteOf({ files }, it.files)) ||
        (it.kind === 'stop' && it.text?.includes(id) === true)),
  );
}
