/** Which notes a session starts with: those near what it works on, then what always counts, then the newest. */
import type { Store } from '../store/open.ts';
import { NOTE_KINDS, type RecallItem, recallStore } from '../store/recall.ts';
import { isNoteOf } from './occasions.ts';
import { queryOf } from './query.ts';
import { searchItems } from './search.ts';

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
const FEWEST = 3;
/** Parts of branches and paths that say nothing of what they are about. */
const COMMON =
  /\b(?:main|master|develop|dev|trunk|feature|feat|fix|bugfix|hotfix|chore|wip|worktree|src|lib|app|apps|packages|pkg|internal|cmd|tests?|specs?|docs?|dist|index|utils?|types|[a-z]{1,4}$)\b|\.\w+$/gim;
/** A note that is near by its words only has this share of the nearest one's score. */
const NEAR = 0.35;

/** The best first. */
export function nearItems(store: Store, { projectId, agent, now, set }: NearRequest): RecallItem[] {
  const recall = recallStore(store);
  const lists = [set.dirty.slice(0, MOST_PATHS), set.recent.slice(0, MOST_PATHS)];
  const words = [set.branch ?? '', ...lists.flat()].join('\n').replaceAll(COMMON, ' ');
  const found = searchItems(store, { projectId, query: queryOf(words), now });
  const top = found[0]?.score ?? 1;
  const near = [
    ...recall.standing(projectId),
    ...lists.flatMap((paths) =>
      recall.withFiles(projectId, paths).filter((it) => isNoteOf(it, paths)),
    ),
    ...found.flatMap(({ item, score }) => (score < top * NEAR ? [] : [item])),
  ];
  const isForIt = (it: RecallItem) =>
    NOTE_KINDS.some((kind) => kind === it.kind) && (it.agent ?? agent) === agent;
  const items = new Map(near.filter(isForIt).map((it) => [it.uid, it]));
  // Where nothing is near, a trap is worth more than a fact.
  const isTrap = ({ kind }: RecallItem) => Number(kind === 'gotcha');
  const newest = recall.newestNotes(projectId, NEWEST).filter(isForIt);
  for (const it of newest.sort((a, b) => isTrap(b) - isTrap(a)))
    if (items.size < FEWEST) items.set(it.uid, it);
  return [...items.values()];
}
