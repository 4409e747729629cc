/** Finds what is relevant to a prompt, best first, and says how much of the prompt it covers. */
import type { Store } from '../store/open.ts';
import { type RecallItem, recallStore } from '../store/recall.ts';
import { MOST_TERMS, type Query } from './query.ts';
import { indexed, indexedPaths } from './words.ts';

export interface SearchRequest {
  readonly projectId: number;
  readonly query: Query;
  readonly now: Date;
  /** How many of each kind are ranked. */
  readonly limit?: number;
}

export interface Found {
  readonly score: number;
  /** The share of the prompt's words, by their rarity, that occur in it: 0 to 1. */
  readonly cover: number;
  /** Words of the prompt that occur in it. */
  readonly words: readonly string[];
}
export type FoundItem = Found & { readonly item: RecallItem };
export type FoundFile = Found & { readonly path: string; readonly line: number };

const DAY_MS = 86_400_000;
const RANKED = 80;
const COMMITS = 40;

/** Values of this file were found by measuring on public histories, see `bench/recall.ts`. */
const BOOST = {
  /** For words in the paths of its files, and for neighbours in the prompt that are neighbours here. */
  paths: 0.35,
  pairs: 0.35,
  kinds: { gotcha: 1.15, decision: 1.1 } as Readonly<Record<string, number>>,
  otherBranch: 0.5,
  /** What is new counts twice; after this many days the bonus has fallen to a third. */
  freshDays: 10,
  nextChunk: 0.4,
  test: 0.6,
  votes: 0.8,
  commitDays: 720,
};

/** In a small store a word that nobody used yet would count for all the others. */
const FEW = 50;

/** Weights of words by their rarity. */
export function rarity(
  terms: readonly string[],
  count: number,
  withTerm: (term: string) => number | undefined,
): ReadonlyMap<string, number> {
  return new Map(
    terms.map((term) => {
      const having = withTerm(term) ?? 0;
      return [term, Math.log(1 + (count + FEW - having + 0.5) / (having + 0.5))];
    }),
  );
}

/** The first words and the rarest. */
function telling(terms: readonly string[], weights: ReadonlyMap<string, number>): string[] {
  if (terms.length <= MOST_TERMS) return [...terms];
  const first = terms.slice(0, 8);
  const rest = terms.slice(8).sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  return [...first, ...rest.slice(0, MOST_TERMS - first.length)];
}

export function searchItems(store: Store, request: SearchRequest): FoundItem[] {
  const { projectId, query, now, limit = RANKED } = request;
  const recall = recallStore(store);
  const weights = rarity(query.terms, recall.itemCount() ?? 0, recall.itemsWith);
  const terms = telling(query.terms, weights);
  if (terms.length === 0) return [];
  const matches = recall.matchItems(projectId, terms, limit);
  const top = matches[0]?.score ?? 1;
  const found = matches.flatMap(({ id, score }) => {
    const item = recall.ofRow(id);
    if (item === undefined || item.status !== 'active') return [];
    const text = ` ${indexed(item.title)} | ${indexed(item.body)} `;
    const paths = new Set(indexedPaths(item.files).split(' '));
    const all = new Set([...text.split(' '), ...paths, ...indexed(item.conditions).split(' ')]);
    const pairs = [...query.pairs].filter((pair) => text.includes(` ${pair} `)).length;
    const age = Math.max(0, now.getTime() - item.at.getTime()) / DAY_MS;
    const ranked =
      (score / top) *
      (1 +
        BOOST.paths * share(terms.filter((it) => paths.has(it)).length, terms.length) +
        BOOST.pairs * share(pairs, query.pairs.size)) *
      (1 + Math.exp(-age / BOOST.freshDays)) *
      (BOOST.kinds[item.kind] ?? 1);
    return [{ item, score: ranked, ...covered(terms, weights, all) }];
  });
  return found.sort((a, b) => b.score - a.score || order(a.item.uid, b.item.uid));
}

/** Files by their content, and by the messages of commits that changed them. */
export function searchFiles(store: Store, request: SearchRequest): FoundFile[] {
  const { projectId, query, now, limit = RANKED } = request;
  const recall = recallStore(store);
  const weights = rarity(query.terms, recall.chunkCount() ?? 0, recall.chunksWith);
  const terms = telling(query.terms, weights);
  if (terms.length === 0) return [];
  const files = bestPieces(recall.matchChunks(projectId, terms, limit));
  addVotes(files, commitVotes(recall.matchCommits(projectId, terms, COMMITS), now));
  if (!query.asksForTests) {
    for (const [path, file] of files) if (TEST_FILE.test(path)) file.score *= BOOST.test;
  }
  const ranked = [...files].sort(([a, one], [b, other]) => other.score - one.score || order(a, b));
  return ranked.map(([path, { id, score, line }], at) => {
    const words = new Set(indexedPaths([path]).split(' '));
    if (at < MOST_RELEVANT && id !== undefined) {
      for (const term of terms) if (recall.chunkHas(`"${term}"`, id) === 1) words.add(term);
    }
    return { path, line, score, ...covered(terms, weights, words) };
  });
}

/** A file counts as its best piece, and a little for each further one. */
function bestPieces(
  pieces: readonly { id: number; path: string; firstLine: number; score: number }[],
): Map<string, RankedFile> {
  const files = new Map<string, RankedFile>();
  const top = pieces[0]?.score ?? 1;
  for (const { id, path, firstLine, score } of pieces) {
    const known = files.get(path);
    const part = score / top;
    if (known === undefined) files.set(path, { id, score: part, line: firstLine, pieces: 1 });
    else {
      known.score += part * BOOST.nextChunk * 0.5 ** (known.pieces - 1);
      known.pieces += 1;
    }
  }
  return files;
}

function addVotes(files: Map<string, RankedFile>, votes: ReadonlyMap<string, number>): void {
  const best = Math.max(0, ...[...files.values()].map(({ score }) => score)) || 1;
  const most = Math.max(...votes.values());
  for (const [path, cast] of votes) {
    const score = BOOST.votes * best * (cast / most);
    const known = files.get(path);
    if (known === undefined) files.set(path, { id: undefined, score, line: 1, pieces: 0 });
    else known.score += score;
  }
}

interface RankedFile {
  /** Of its best piece; `undefined` if only commits name the file. */
  readonly id: number | undefined;
  readonly line: number;
  score: number;
  pieces: number;
}

/** How many items a prompt brings at most. */
export const MOST_RELEVANT = 3;
/** The share of a short prompt that has to be known; of a long one less. */
const FLOOR = 0.42;
/** Words of a prompt that counts as short. */
const SHORT = 5;

/** What is worth telling without being asked: nothing for small talk, or where little of the prompt is known. */
export function relevant<T extends Found>(found: readonly T[], query: Query): T[] {
  const [first] = found;
  if (first === undefined || (query.terms.length < 3 && !query.named)) return [];
  const floor = FLOOR * Math.min(1, Math.sqrt(SHORT / query.terms.length));
  if (first.cover < floor || first.words.length < 2) return [];
  const worth = (it: Found) => it.score >= first.score / 2 && it.cover >= floor / 2;
  return found.slice(0, MOST_RELEVANT).filter(worth);
}

/** Each commit near the prompt votes for its files; one that changed many tells little of each. */
function commitVotes(
  matches: readonly { readonly score: number; readonly at: number; readonly files: string }[],
  now: Date,
): Map<string, number> {
  const votes = new Map<string, number>();
  const top = matches[0]?.score ?? 1;
  for (const { score, at, files: listed } of matches) {
    const files = JSON.parse(listed) as readonly string[];
    const age = Math.max(0, now.getTime() - at) / DAY_MS;
    const weight =
      ((score / top) ** 1.5 * (0.5 + 0.5 * Math.exp(-age / BOOST.commitDays))) /
      Math.sqrt(files.length);
    for (const path of files) votes.set(path, (votes.get(path) ?? 0) + weight);
  }
  return votes;
}

const TEST_FILE =
  /(?:^|\/)(?:__tests__|__snapshots__|__mocks__|tests?|specs?|fixtures?|e2e|bench(?:marks?)?)(?:\/|$)|[._-](?:test|spec|bench)s?\.\w+$/;

function covered(
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
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
