/** The notes for the start of a session: those near its work, then those that always count, then the newest. */
import type { Store } from '../store/open.ts';
import { isFor, isNote, type RecallItem, recallStore } from '../store/recall.ts';
import { isNoteOf } from './occasions.ts';
import { queryOf } from './query.ts';
import { searchItems } from './search.ts';

interface NearRequest {
  readonly projectId: number;
  /** The agent of the session; notes for other agents are left out. */
  readonly agent: string;
  readonly now: Date;
  /** Uncommitted files, and those of the last commits and sessions, the newest first; relative to the project. */
  readonly set: Readonly<Record<'dirty' | 'recent', readonly string[]>> & {
    readonly branch: string | undefined;
  };
}

const MOST_PATHS = 12;
const NEWEST = 20;
const FEWEST = 3;
/** Parts of branch names and paths that say nothing about their subject. */
const COMMON =
  /\b(?:main|master|develop|dev|trunk|feature|feat|fix|bugfix|hotfix|chore|wip|worktree|src|lib|app|apps|packages|pkg|internal|cmd|tests?|specs?|docs?|dist|index|utils?|types|[a-z]{1,4}$)\b|\.\w+$/gim;
/** A note that is near only by its words needs this share of the nearest one's score. */
const NEAR = 0.35;

/** The items, the nearest first. */
export function nearItems(store: Store, { projectId, agent, now, set }: NearRequest): RecallItem[] {
  const recall = recallStore(store);
  const lists = [set.dirty.slice(0, MOST_PATHS), set.recent.slice(0, MOST_PATHS)];
  const words = [set.branch ?? '', ...lists.flat()].join('\n').replaceAll(COMMON, ' ');
  const found = searchItems(store, { projectId, query: queryOf(words), now });
  const top = found[0]?.score ?? 1;
  const isForIt = (it: RecallItem) => isNote(it) && isFor(it, agent);
  const standing = recall.standing(projectId).filter(isForIt);
  const near = [
    ...standing,
    ...lists.flatMap((paths) =>
      recall.withFiles(projectId, paths).filter((it) => isNoteOf(it, paths)),
    ),
    ...found.flatMap(({ item, score }) => (score < top * NEAR ? [] : [item])),
  ];
  const items = new Map(near.filter(isForIt).map((it) => [it.uid, it]));
  // If nothing is near, a trap is more useful than a fact.
  const isTrap = ({ kind }: RecallItem) => Number(kind === 'gotcha');
  const newest = recall.newestNotes(projectId, NEWEST).filter(isForIt);
  for (const it of newest.sort((a, b) => isTrap(b) - isTrap(a)))
    if (items.size < standing.length + FEWEST) items.set(it.uid, it);
  return [...items.values()];
}
