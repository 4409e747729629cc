/** Finds what is relevant to a prompt, best first, and computes how much of the prompt it covers. */
import type { Store } from '../store/open.ts';
import { type ItemOrTurn, type ItemWords, type RecallItem, recallStore } from '../store/recall.ts';
import { isMet } from './occasions.ts';
import { wordsOfItem } from './put-item.ts';
import { formsIn, MOST_TERMS, type Query } from './query.ts';
import { summaryId } from './summaries.ts';
import { answering, asksSame, isUnanswered, type Turn, turnsAt, wordsOfTurn } from './turns.ts';

export interface SearchRequest {
  readonly projectId: number;
  readonly query: Query;
  readonly now: Date;
  /** The most results. */
  readonly limit?: number;
}

export interface SearchMatch {
  readonly score: number;
  /** The share of the prompt's words, by their rarity, that occur in it: 0 to 1. */
  readonly cover: number;
  /** Words of the prompt that occur in it. */
  readonly words: readonly string[];
  /** The prompt's words stand beside each other in it, in their order. */
  readonly isPhrase?: boolean | undefined;
  /** The prompt meets its conditions, so it is shown in any case. */
  readonly isMeant?: boolean;
}
/** An item, or a session with those of its turns that contain words of the prompt, the best first. */
export type ItemMatch = SearchMatch & {
  readonly item: RecallItem;
  readonly turns: readonly Turn[];
};

type Found = ItemMatch & { readonly fields: ItemWords | undefined };

export const DAY_MS = 86_400_000;
/** The matches whose age counts, and the best of them, whose words are counted. */
const MATCHES = 100;
const RANKED = 60;

/** The values of this file were measured on public histories, see `bench/recall.ts`. */
const BOOST = {
  /** Words in the paths of its files count more, as do neighbours in the prompt that are neighbours in the text. */
  paths: 0.35,
  pairs: 0.35,
  kinds: { gotcha: 1.15, decision: 1.1 } as Readonly<Record<string, number>>,
  /** New summaries count more: most of this bonus is gone after days, a small rest after months. */
  fresh: 2,
  freshDays: 7,
  recent: 0.5,
  recentDays: 180,
  /** What is added to the newest summary, as a share of the best score. */
  newest: 0.3,
  /** The same for a result that names a file which other results name. */
  files: 0.1,
  /** The factor for further pieces of a session that contain words of the prompt. */
  next: 0.3,
  /** The factor for the message after one that was found: it may answer it in words of its own. */
  answer: 0.7,
  /** The factor for a question that got no answer, and for a session in which nothing else was found. */
  unanswered: 0.1,
  /** The factor for a result that says the same as a better one. */
  alike: 0.6,
};
/** The newest summaries with any word of the prompt are ranked; the fourth gets a third of what the first gets. */
const NEWEST = 6;
const NEWEST_FADES = 3;
const NEXT_TO = 0.99;
/** The number of best messages whose answers are looked for. */
const ANSWERED = 5;
/** A note, or a turn, counts as much as a summary of this week. */
const DURABLE = 3;

/** The least number of documents to assume: in a small store, an unused word would outrank all others. */
const FEW = 50;

/** The number of documents that have each word. */
type Counts = ReadonlyMap<string, number>;

/**
 * The search terms, weighted by rarity: the first ones and the rarest. `selective`: the rarest of them, because common
 * words take long to rank and say little.
 *
 * @param total the number of documents.
 * @param mostRanked how many documents may have the selective terms together; the two rarest terms are taken in any case.
 */
export function weighed(
  { terms }: Query,
  withTerm: (term: string) => number,
  total: number,
  mostRanked: number,
) {
  const counts: Counts = new Map(terms.map((term) => [term, withTerm(term)]));
  const few = (a: string, b: string) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0);
  const rest = terms.length <= MOST_TERMS ? terms.slice(FIRST) : terms.slice(FIRST).sort(few);
  const chosen = [...terms.slice(0, FIRST), ...rest].slice(0, MOST_TERMS);
  const weights: ReadonlyMap<string, number> = new Map(
    chosen.map((term) => {
      const having = counts.get(term) ?? 0;
      return [term, Math.log(1 + (total + FEW - having + 0.5) / (having + 0.5))];
    }),
  );
  let ranked = 0;
  const selective = [...chosen].sort(few).filter((term, at) => {
    ranked += counts.get(term) ?? 0;
    return at < FEWEST_TERMS || ranked <= mostRanked;
  });
  return { weights, terms: chosen, selective };
}

const FIRST = 8;
const FEWEST_TERMS = 2;
/** Items are short: those without the rarest words are seldom meant. */
const MOST_RANKED = 1_500;

export function searchItems(store: Store, request: SearchRequest): ItemMatch[] {
  const { projectId, now } = request;
  const recall = recallStore(store);
  const counts = new Map<string, number>();
  const having = (word: string): number => {
    const known = counts.get(word) ?? recall.itemsWith(projectId, word);
    counts.set(word, known);
    return known;
  };
  const query = withBeginnings(request.query, having);
  const { weights, terms, selective } = weighed(
    query,
    having,
    recall.itemCount(projectId),
    MOST_RANKED,
  );
  if (terms.length === 0) return [];
  const matches = recall
    .matchItems(projectId, selective, MATCHES)
    .map((it) => ({ ...it, score: it.score * standing(it, now) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, RANKED);
  const newest =
    matches.length === 0 ? [] : recall.newestSummaries(projectId, now.getTime(), NEWEST);
  const ids = new Set([...matches, ...newest].map(({ id }) => id));
  const pieces = piecesOf(store, [...ids])
    .map((it) => ({ ...it, ...judged(it.fields, query, weights) }))
    .filter(({ words }) => words.length > 0);
  const scored = supported(pieces).map((it) => {
    const of = { kind: it.item?.kind ?? null, at: it.item?.at.getTime() ?? 0 };
    return { ...it, score: it.score * standing(of, now) };
  });
  const conditional = recall.withConditions(projectId);
  const asked = { words: formsIn(conditional.length === 0 ? '' : query.text), paths: query.paths };
  const meant = conditional.filter(({ conditions }) => isMet(conditions, asked));
  const uids = newest.map(({ uid }) => uid);
  return ranked(store, [...lifted(scored, uids), ...meant.map(pieceMeant)]);
}

/** A word in no document is searched for by its beginning: `austrian` finds `austria`. */
function withBeginnings(query: Query, having: (word: string) => number): Query {
  const terms = query.terms.map((term) => {
    if (!/^[a-z]{6,}$/.test(term) || having(term) > 0) return term;
    const beginning = `${term.slice(0, Math.max(SHORTEST_BEGINNING, term.length - LONGEST_SUFFIX))}*`;
    return having(beginning) === 0 ? term : beginning;
  });
  return { ...query, terms: [...new Set(terms)] };
}

const LONGEST_SUFFIX = 3;
const SHORTEST_BEGINNING = 4;

/** The database ranks over all projects, so the results are ranked again: BM25 with the rarity in the project. */
function judged(fields: ItemWords, query: Query, weights: ReadonlyMap<string, number>) {
  const times = new Map<string, number>();
  const terms = [...weights.keys()];
  const beginnings = terms.filter((it) => it.endsWith('*')).map((it) => it.slice(0, -1));
  let length = 0;
  for (const [field, weight] of FIELDS) {
    for (const word of fields[field].split(' ')) {
      length += 1;
      const beginning = beginnings.find((it) => word.startsWith(it));
      const term = beginning === undefined ? word : `${beginning}*`;
      if (weights.has(term)) times.set(term, (times.get(term) ?? 0) + weight);
    }
  }
  const damping = 1.2 * (0.25 + (0.75 * length) / USUAL_LENGTH);
  const score = [...times].reduce(
    (sum, [word, many]) => sum + ((weights.get(word) ?? 0) * many) / (many + damping),
    0,
  );
  const text = ` ${fields.title} | ${fields.body} `;
  const pairs = [...query.pairs].filter((pair) => text.includes(` ${pair} `)).length;
  const paths = new Set(fields.files.split(' '));
  const named = share(terms.filter((it) => paths.has(it)).length, terms.length);
  const boost = 1 + BOOST.paths * named + BOOST.pairs * share(pairs, query.pairs.size);
  const isPhrase = pairs > 0 && pairs === query.pairs.size;
  return { score: score * boost, isPhrase, ...covered(terms, weights, times) };
}

/** A word in a title counts more than one in a text. */
const FIELDS = Object.entries({
  title: 3,
  conditions: 4,
  files: 5,
  body: 1,
}) as readonly (readonly [keyof ItemWords, number])[];
/** The number of words of an average note or turn. */
const USUAL_LENGTH = 60;

/** Scores as a share of the best one. Pieces that name the same files support each other, less if they name many. */
function supported<T extends Piece>(pieces: readonly T[]): T[] {
  const top = Math.max(...pieces.map(({ score }) => score));
  const filesOf = ({ item }: Piece) => item?.files ?? [];
  const vote = (it: Piece) => (it.score / top) ** 2 / Math.sqrt(filesOf(it).length);
  const votes = new Map<string, number>();
  for (const it of pieces) {
    for (const file of filesOf(it)) votes.set(file, (votes.get(file) ?? 0) + vote(it));
  }
  const most = Math.max(...votes.values());
  return pieces.map((it) => {
    const others = filesOf(it).map((file) => ((votes.get(file) ?? 0) - vote(it)) / most);
    return { ...it, score: it.score / top + BOOST.files * Math.max(0, ...others) };
  });
}

/** The newest summaries come nearer to the best result, never before it: work often goes on where it was. */
function lifted<T extends Piece>(pieces: readonly T[], newest: readonly string[]): T[] {
  const best = Math.max(...pieces.map(({ score }) => score));
  return pieces.map((it) => {
    const age = it.item === undefined ? -1 : newest.indexOf(it.uid);
    if (age === -1 || it.score === best) return it;
    const lift = BOOST.newest * Math.exp(-age / NEWEST_FADES);
    return { ...it, score: Math.max(it.score, Math.min(it.score + lift * best, NEXT_TO * best)) };
  });
}

interface Piece extends SearchMatch {
  /** The id of its item, or of the session that contains it. */
  readonly uid: string;
  readonly item?: RecallItem | undefined;
  readonly turn?: Turn | undefined;
  readonly fields?: ItemWords;
}

const pieceMeant = (item: RecallItem): Piece => ({
  uid: item.uid,
  item,
  score: 0,
  cover: 0,
  words: [],
  isMeant: true,
});

/** All are read at once: one query for each would take longer than the search. */
function piecesOf(store: Store, ids: readonly number[]) {
  const ofItems = ids.filter((id) => id > 0);
  const ofTurns = ids.filter((id) => id < 0).map((id) => -id);
  const turns = turnsAt(store, ofTurns);
  const items = recallStore(store)
    .ofRows(JSON.stringify(ofItems))
    .filter(({ status }) => status === 'active')
    .map((item) => ({ uid: item.uid, item, turn: undefined, fields: wordsOfItem(item) }));
  const said = ofTurns
    .flatMap((id) => turns.get(id) ?? [])
    .map((turn) => ({ uid: summaryId(turn), item: undefined, turn, fields: wordsOfTurn(turn) }));
  return [...items, ...said];
}

/**
 * What the score is multiplied by. A summary counts less as it gets older. A note holds until it is replaced, and a
 * turn answers the same question at any age.
 */
function standing({ kind, at }: Pick<ItemOrTurn, 'kind' | 'at'>, now: Date): number {
  if (kind !== 'summary') return DURABLE * (BOOST.kinds[kind ?? ''] ?? 1);
  const age = Math.max(0, now.getTime() - at) / DAY_MS;
  const bonus = (most: number, days: number) => most * Math.exp(-age / days);
  return 1 + bonus(BOOST.fresh, BOOST.freshDays) + bonus(BOOST.recent, BOOST.recentDays);
}

/** A session has the score of its best piece, plus a little for each further piece and for the pieces next to it. */
function ranked(store: Store, pieces: readonly Piece[]): ItemMatch[] {
  const recall = recallStore(store);
  const found = [...Map.groupBy(pieces, ({ uid }) => uid)].flatMap(([uid, all]) => {
    const asked = all.flatMap(({ turn }) => turn ?? []);
    const isVain = asked.length > 0 && asked.every(isUnanswered);
    const of = all.map((it) => {
      const counts = it.turn ? !isUnanswered(it.turn) : !isVain;
      return counts ? it : { ...it, score: it.score * BOOST.unanswered };
    });
    const [best, ...others] = of.sort((a, b) => b.score - a.score) as [Piece, ...Piece[]];
    const item = of.find((it) => it.item)?.item ?? recall.find(uid);
    if (item === undefined || item.status !== 'active') return [];
    const more = others.reduce((sum, it, at) => sum + it.score * BOOST.next * 0.5 ** at, 0);
    const { cover, words, fields, isPhrase } = best;
    const turns = of.flatMap(({ turn }) => turn ?? []);
    const isMeant = of.some((it) => it.isMeant);
    return [{ item, turns, score: best.score + more, cover, words, isMeant, isPhrase, fields }];
  });
  // Imported pieces are not grouped by session: those of one conversation add to each other's score.
  const bySession = Map.groupBy(found, ({ item }) => item.session);
  const near = found.map((it) => {
    const others = it.item.session === null ? [] : (bySession.get(it.item.session) ?? []);
    const best = Math.max(0, ...others.filter((other) => other !== it).map(({ score }) => score));
    return { ...it, score: it.score + best * BOOST.next };
  });
  return varied(withAnswers(store, near.sort(byScore))).map(({ fields, ...it }) => it);
}

const byScore = (a: ItemMatch, b: ItemMatch): number =>
  b.score - a.score || order(a.item.uid, b.item.uid);

/** With the messages that follow the best ones. */
function withAnswers(store: Store, found: readonly Found[]): Found[] {
  const recall = recallStore(store);
  const known = new Map(found.map((it) => [it.item.uid, it]));
  const best = found.slice(0, ANSWERED).map(({ item }) => item.uid);
  for (const { uid, after } of recall.messagesAfter(JSON.stringify(best))) {
    const own = known.get(uid);
    const item = own?.item ?? recall.find(uid);
    const score = BOOST.answer * (known.get(after)?.score ?? 0);
    if (item === undefined || score < (own?.score ?? 0)) continue;
    const without = { item, turns: [], cover: 0, words: [], fields: undefined };
    known.set(uid, { ...(own ?? without), score });
  }
  return [...known.values()].sort(byScore);
}

/** A session that says nearly the same as a better one counts less, because many ask the same. */
function varied(found: readonly Found[]): Found[] {
  const rest = found.slice(0, RANKED_VARIED).map((it) => {
    const said = it.fields && it.turns.length > 0 ? `${it.fields.title} ${it.fields.body}` : '';
    return { it, full: it.score, words: new Set(said.match(/\S+/g)) };
  });
  const chosen: Found[] = [];
  while (rest.length > 0) {
    const best = rest.reduce((a, b) => (b.it.score > a.it.score ? b : a));
    rest.splice(rest.indexOf(best), 1);
    chosen.push(best.it);
    if (chosen.length >= VARIED) continue;
    for (const other of rest) {
      const same = other.words.intersection(best.words).size;
      const alike = share(same, other.words.size + best.words.size - same);
      const score = other.full * (1 - BOOST.alike * alike);
      if (score < other.it.score) other.it = { ...other.it, score };
    }
  }
  return [...chosen, ...found.slice(RANKED_VARIED)];
}

/** The number of best results that are put into a new order; the first of them are compared with all. */
const RANKED_VARIED = 40;
const VARIED = 10;

/** The most results shown for a prompt. */
export const MOST_TOLD = 3;
/** The share of a short prompt that must be covered; for a long one it is less. */
const FLOOR = 0.42;
/** The share of the best one's score that others need to be shown beside it. */
const WORTH = { note: 0.38, other: 0.5 };
/** The most words of a prompt that counts as short. */
const SHORT = 5;

/** An item, or a file. */
type Tellable = SearchMatch & {
  readonly item?: RecallItem;
  readonly turns?: readonly Turn[];
};
const isNote = ({ item }: Tellable) => item !== undefined && item.kind !== 'summary';

/** The results to show without a request: none for small talk, or if little of the prompt is covered. */
export function relevant<T extends Tellable>(all: readonly T[], query: Query): T[] {
  const meant = all.filter(({ isMeant }) => isMeant);
  const found = all.filter(({ isMeant }) => !isMeant);
  const told = [...meant, ...relevantByWords(found, query)].slice(0, MOST_TOLD);
  return told.filter((it) => !told.some((other) => corrects(other, it)));
}

/** Whether it is the later answer to the same question, about which it says as much. */
function corrects(later: Tellable, earlier: Tellable): boolean {
  const [a, b] = [later, earlier].map(({ turns = [] }) => answering(turns));
  if (a === undefined || b === undefined || a.at <= b.at) return false;
  return later.cover >= earlier.cover && asksSame(a, b);
}

function relevantByWords<T extends Tellable>(found: readonly T[], query: Query): T[] {
  const [first] = found;
  // Short prompts are small talk, but for a question whose words stand together in a result.
  const isShort = query.terms.length < 3 && !query.named;
  if (first === undefined || (isShort && !(query.isQuestion && first.isPhrase))) return [];
  const floor = FLOOR * Math.min(1, Math.sqrt(SHORT / query.terms.length));
  if (first.cover < floor || first.words.length < 2) return [];
  const worth = (it: T) =>
    it.score >= first.score * (isNote(it) ? WORTH.note : WORTH.other) &&
    it.cover >= floor / 2 &&
    (!isShort || it.isPhrase);
  return found.slice(0, MOST_TOLD).filter(worth);
}

export function covered(
  terms: readonly string[],
  weights: ReadonlyMap<string, number>,
  words: Pick<ReadonlySet<string>, 'has'>,
): { cover: number; words: string[] } {
  const sum = (some: readonly string[]) =>
    some.reduce((all, it) => all + (weights.get(it) ?? 0), 0);
  const having = terms.filter((it) => words.has(it));
  return { cover: share(sum(having), sum(terms)), words: having };
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
