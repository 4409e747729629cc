/** Which notes a session starts with: those near what it works on, then what always counts, then the newest. */
import type { Store } from '../store/open.ts';
import { NOTE_KINDS, type RecallItem, recallStore } from '../store/recall.ts';
import { isNoteOf } from './occasions.ts';
import { queryOf } from './query.ts';
import { DAY_MS, searchItems } from './search.ts';

interface NearRequest {
  readonly projectId: number;
  /** Notes of other agents are not for it. */
  readonly agent: string;
  readonly now: Date;
  /**
   * Files with changes that are not committed, and those of the last commits and sessions, the newest first;
   * relative to the project.
   */
  readonly set: Readonly<Record<'dirty' | 'recent', readonly string[]>> & {
    readonly branch: string | undefined;
  };
}

const MOST_PATHS = 12;
const NEWEST = 20;
const FOUND = 40;
const FEWEST = 3;
const FRESH_DAYS = 30;
/** Decisions and gotchas are what a session is told of first; facts have to be near. */
const KINDS: Readonly<Record<string, number>> = {
  gotcha: 0.5,
  decision: 0.4,
  instruction: 0.7,
  preference: 0.4,
};
const ALWAYS = new Set(['instruction', 'preference']);
/** Parts of branches and paths that say nothing of what they are about. */
const COMMON =
  /\b(?:main|master|develop|dev|trunk|feature|feat|fix|bugfix|hotfix|chore|wip|worktree|src|lib|app|apps|packages|pkg|internal|cmd|tests?|specs?|docs?|dist|index|utils?|types|[a-z]{1,4}$)\b|\.\w+$/gim;
/** A note that is near by its words only has this share of the nearest one's score. */
const NEAR = 0.35;

/** The best first. */
export function nearItems(store: Store, { projectId, agent, now, set }: NearRequest): RecallItem[] {
  const recall = recallStore(store);
  const dirty = set.dirty.slice(0, MOST_PATHS);
  const recent = set.recent.slice(0, MOST_PATHS);
  const words = [set.branch ?? '', ...dirty, ...recent].join('\n').replaceAll(COMMON, ' ');
  const found = searchItems(store, { projectId, query: queryOf(words), now, limit: FOUND });
  const top = found[0]?.score ?? 1;
  const near = new Map(
    found.flatMap(({ item, score }) => (score < top * NEAR ? [] : [[item.uid, score / top]])),
  );
  const newest = [...recall.newestNotes(projectId, NEWEST), ...recall.standing(projectId)];
  const all = new Map([...found.map(({ item }) => item), ...newest].map((it) => [it.uid, it]));
  const ranked = [...all.values()]
    .filter((it) => NOTE_KINDS.some((kind) => kind === it.kind) && (it.agent ?? agent) === agent)
    .map((item) => {
      const nearness =
        (isNoteOf(item, dirty) ? 3 : 0) +
        (isNoteOf(item, recent) ? 1.5 : 0) +
        (near.get(item.uid) ?? 0);
      const age = Math.max(0, now.getTime() - item.at.getTime()) / DAY_MS;
      const weight = (KINDS[item.kind] ?? 0) + 0.3 * Math.exp(-age / FRESH_DAYS);
      return { item, nearness, score: nearness + weight };
    })
    .sort((a, b) => b.score - a.score || (a.item.uid < b.item.uid ? -1 : 1));
  const counts = ranked.filter(({ item, nearness }) => nearness > 0 || ALWAYS.has(item.kind));
  const others = ranked.filter((it) => !counts.includes(it));
  return [...counts, ...others.slice(0, Math.max(0, FEWEST - counts.length))].map(
    ({ item }) => item,
  );
}
