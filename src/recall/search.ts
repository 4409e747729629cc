/** Finds what is relevant to a prompt, best first, and says how much of the prompt it covers. */
import type { Store } from '../store/open.ts';
import { type RecallItem, recallStore } from '../store/recall.ts';
import { MOST_TERMS, type Query, relevantText } from './query.ts';
import { summaryId } from './summaries.ts';
import { type Turn, turnAt } from './turns.ts';
import { indexed, indexedPaths } from './words.ts';

export interface SearchRequest {
  readonly projectId: number;
  readonly query: Query;
  readonly now: Date;
  /** The best so many. */
  readonly limit?: number;
}

export interface SearchMatch {
  readonly score: number;
  /** The share of the prompt's words, by their rarity, that occur in it: 0 to 1. */
  readonly cover: number;
  /** Words of the prompt that occur in it. */
  readonly words: readonly string[];
}
/** An item, or a session with those of its turns that have words of the prompt, the best first. */
export type ItemMatch = SearchMatch & {
  readonly item: RecallItem;
  readonly turns: readonly Turn[];
};

export const DAY_MS = 86_400_000;
const RANKED = 80;

/** Values of this file were found by measuring on public histories, see `bench/recall.ts`. */
const BOOST = {
  /** Words in the paths of its files count more, and so do neighbours in the prompt that are neighbours here. */
  paths: 0.35,
  pairs: 0.35,
  kinds: { gotcha: 1.15, decision: 1.1 } as Readonly<Record<string, number>>,
  /** New sessions count more: a large part of it is gone after days, a small one after months. */
  freshDays: 10,
  recent: 0.5,
  recentDays: 180,
  /** Further pieces of a session that have words of the prompt. */
  next: 0.3,
};
/** A note is as good as a session of this week. */
const DURABLE = 2;

/** A small store would rank a word that nobody used yet above all others. */
const FEW = 50;

/** The number of documents that have each word. */
type Counts = ReadonlyMap<string, number>;

/**
 * The words that are searched for, with their weights by rarity: the first ones and the rarest.
 *
 * @param total of the documents.
 */
export function weighed({ terms }: Query, withTerm: (term: string) => number, total = 0) {
  const counts: Counts = new Map(terms.map((term) => [term, withTerm(term)]));
  const weights = new Map<string, number>();
  for (const [term, having] of counts)
    weights.set(term, Math.log(1 + (total + FEW - having + 0.5) / (having + 0.5)));
  const rare = (a: string, b: string) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0);
  const rest = terms.length <= MOST_TERMS ? terms.slice(FIRST) : terms.slice(FIRST).sort(rare);
  return { counts, weights, terms: [...terms.slice(0, FIRST), ...rest].slice(0, MOST_TERMS) };
}

const FIRST = 8;

/** A word in more documents than this takes long to rank and tells little. */
const COMMON = 3_000;

/** The words that are not very common, or the first ones if all are. */
export function selective(terms: readonly string[], counts: Counts): readonly string[] {
  const rare = terms.filter((term) => (counts.get(term) ?? 0) <= COMMON);
  return rare.length === 0 ? terms.slice(0, 3) : rare;
}

export function searchItems(store: Store, request: SearchRequest): ItemMatch[] {
  const { projectId, query, now, limit = RANKED } = request;
  const recall = recallStore(store);
  const having = (word: string) => recall.itemsWith(projectId, word);
  const { counts, weights, terms } = weighed(query, having, recall.itemCount(projectId));
  if (terms.length === 0) return [];
  const matches = recall.matchItems(projectId, selective(terms, counts), limit);
  const top = matches[0]?.score ?? 1;
  const pieces = matches.flatMap(({ id, score }): Piece[] => {
    const piece = pieceOf(store, id);
    if (piece === undefined) return [];
    const { text, paths, conditions } = piece;
    const all = new Set([...text.split(' '), ...paths, ...conditions.split(' ')]);
    const pairs = [...query.pairs].filter((pair) => text.includes(` ${pair} `)).length;
    const ranked =
      (score / top) *
      (1 +
        BOOST.paths * share(terms.filter((it) => paths.has(it)).length, terms.length) +
        BOOST.pairs * share(pairs, query.pairs.size)) *
      freshness(piece, now) *
      (BOOST.kinds[piece.item?.kind ?? ''] ?? 1);
    return [{ ...piece, score: ranked, ...covered(terms, weights, all) }];
  });
  return ranked(store, pieces);
}

interface Words {
  readonly uid: string;
  readonly at: Date;
  /** Exactly one of the two. */
  readonly item?: RecallItem;
  readonly turn?: Turn;
  readonly text: string;
  readonly paths: ReadonlySet<string>;
  readonly conditions: string;
}
type Piece = Words & SearchMatch;

const NO_PATHS: ReadonlySet<string> = new Set();

function pieceOf(store: Store, id: number): Words | undefined {
  if (id < 0) {
    const turn = turnAt(store, -id);
    if (turn === undefined) return undefined;
    const { at, asked, answered } = turn;
    const text = ` ${indexed(relevantText(asked))} | ${indexed(relevantText(answered))} `;
    return { uid: summaryId(turn), at, turn, text, paths: NO_PATHS, conditions: '' };
  }
  const item = recallStore(store).ofRow(id);
  if (item === undefined || item.status !== 'active') return undefined;
  const text = ` ${indexed(item.title)} | ${indexed(item.body)} `;
  const paths = new Set(indexedPaths(item.files).split(' '));
  return { uid: item.uid, at: item.at, item, text, paths, conditions: indexed(item.conditions) };
}

/** What a session did counts less as it gets older; a note holds until somebody says otherwise. */
function freshness({ at, item }: Words, now: Date): number {
  if (item?.kind !== 'summary') return DURABLE;
  const age = Math.max(0, now.getTime() - at.getTime()) / DAY_MS;
  return 1 + Math.exp(-age / BOOST.freshDays) + BOOST.recent * Math.exp(-age / BOOST.recentDays);
}

/** A session counts as its best piece, and a little for each further one; the same holds of what is next to it. */
function ranked(store: Store, pieces: readonly Piece[]): ItemMatch[] {
  const recall = recallStore(store);
  const found = [...Map.groupBy(pieces, ({ uid }) => uid)].flatMap(([uid, of]) => {
    const [best, ...others] = of.sort((a, b) => b.score - a.score) as [Piece, ...Piece[]];
    const item = of.find((it) => it.item)?.item ?? recall.find(uid);
    if (item === undefined || item.status !== 'active') return [];
    const more = others.reduce((sum, it, at) => sum + it.score * BOOST.next * 0.5 ** at, 0);
    const { cover, words } = best;
    const turns = of.flatMap(({ turn }) => turn ?? []);
    return [{ item, turns, score: best.score + more, cover, words }];
  });
  return found.sort((a, b) => b.score - a.score || order(a.item.uid, b.item.uid));
}

/** How many items a prompt brings at most. */
export const MOST_RELEVANT = 3;
/** The share of a short prompt that has to be known; of a long one less. */
const FLOOR = 0.42;
/** Words of a prompt that counts as short. */
const SHORT = 5;

/** The items worth telling without being asked: none for small talk, or if little of the prompt is known. */
export function relevant<T extends SearchMatch>(found: readonly T[], query: Query): T[] {
  const [first] = found;
  if (first === undefined || (query.terms.length < 3 && !query.named)) return [];
  const floor = FLOOR * Math.min(1, Math.sqrt(SHORT / query.terms.length));
  if (first.cover < floor || first.words.length < 2) return [];
  const worth = (it: SearchMatch) => it.score >= first.score / 2 && it.cover >= floor / 2;
  return found.slice(0, MOST_RELEVANT).filter(worth);
}

export function covered(
  terms: readonly string[],
  weights: ReadonlyMap<string, number>,
  words: ReadonlySet<string>,
): { cover: number; words: string[] } {
  const sum = (some: readonly string[]) =>
    some.reduce((all, it) => all + (weights.get(it) ?? 0), 0);
  const having = terms.filter((it) => words.has(it));
  return { cover: share(sum(having), sum(terms)), words: having };
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
