/** Counts the tokens that recall has cost, and which of the told items were used. */
import { takeLateNow } from '../../recall/late.ts';
import { isNoteOf } from '../../recall/occasions.ts';
import { summaryId } from '../../recall/summaries.ts';
import { observationStore, type StoredObservation } from '../../store/observations.ts';
import { recallStore } from '../../store/recall.ts';
import { type ToldItemRow, toldStore } from '../../store/told.ts';
import { type AppContext, openProject } from '../context.ts';

/** Tokens are estimates; of what is recalled, not of what is held or of lanes. */
export interface ToldSession {
  readonly id: string;
  readonly agent: string;
  /** ISO 8601: when it was first told something. */
  readonly at: string;
  readonly tokens: number;
  /** The most tokens at one moment. */
  readonly most: number;
  /** Items it was told. */
  readonly told: number;
  /** Those it looked up, cited, or went on to edit a file of. */
  readonly used: number;
}

export type RecallStats = Awaited<ReturnType<typeof recallStats>>;

const OFTEN = 3;
const MOST_UNUSED = 5;

/**
 * Sessions, the last one first, and items that were told to three sessions or more and used by none, the most
 * often told first.
 */
export async function recallStats(context: AppContext, limit: number) {
  const { store, projectId } = await openProject(context);
  takeLateNow(store);
  const told = toldStore(store);
  const recall = recallStore(store);
  const observations = observationStore(store);
  const items = told.items(projectId).flatMap((row) => {
    const item = recall.find(row.uid.split(' ')[0] ?? '');
    return item === undefined ? [] : [{ row, item }];
  });
  const used = new Set<string>();
  const sessions = told.sessions(projectId, limit).map((it): ToldSession => {
    const observed = observations.ofSession(it.agent, it.session);
    const own = items.filter(({ row }) => row.agent === it.agent && row.session === it.session);
    const ownUsed = own.filter(({ row, item }) => isUsed(row, item.files, observed));
    for (const { item } of ownUsed) used.add(item.uid);
    const at = new Date(it.began).toISOString();
    const counts = { told: own.length, used: ownUsed.length };
    return { id: summaryId(it), agent: it.agent, at, tokens: it.tokens, most: it.most, ...counts };
  });
  const sum = (of: (session: ToldSession) => number) =>
    sessions.reduce((all, session) => all + of(session), 0);
  const unused = [...Map.groupBy(items, ({ item }) => item.uid).values()]
    .flatMap(([first, ...more]) =>
      first === undefined || more.length + 1 < OFTEN || used.has(first.item.uid)
        ? []
        : [{ id: first.item.uid, title: first.item.title, sessions: more.length + 1 }],
    )
    .sort((a, b) => b.sessions - a.sessions || (a.id < b.id ? -1 : 1));
  return {
    sessions,
    tokens: sum(({ tokens }) => tokens),
    told: sum((it) => it.told),
    used: sum((it) => it.used),
    unused: unused.slice(0, MOST_UNUSED),
  };
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
