/**
 * How well what was asked for is ranked, and what that costs: sets of documents, and of questions with their right
 * answers. Sets are made from histories and conversations, or read from files that a person has.
 *
 * - `conversations`: each message is a document, its session the answer.
 * - `files of a commit`: files and earlier commits are documents, the files that a later commit changed the answer to its
 *   message. Tests count neither as right nor as wrong.
 * - `earlier commits`: each commit is a document once it was made, as the summary of a session would be; the answers are
 *   the commits that a later one names, by their ids or by the number of the same bug.
 *
 * Plain BM25 (any word, FTS5's own order, with stems) answers the same questions.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openProject } from '../src/app/context.ts';
import { embedPieces } from '../src/app/recall/embeddings.ts';
import { answerQuery, importDocuments } from '../src/app/recall/recall.ts';
import { homeOf } from '../src/base/files/home.ts';
import { isTestFile } from '../src/recall/code/search-code.ts';
import { openStore } from '../src/store/open.ts';
import { type Change, type History, isSource } from './recall-histories.ts';
import type { Past } from './recall-sessions.ts';

const KINDS = ['conversations', 'files of a commit', 'earlier commits'] as const;
type RankingKind = (typeof KINDS)[number];

/** As `lanehold recall import` takes it. */
interface Document {
  readonly id: string;
  readonly kind: string;
  readonly title?: string;
  readonly text: string;
  readonly path?: string;
  readonly files?: readonly string[];
  readonly session?: string;
  /** Seconds. */
  readonly time: number;
}

interface Question {
  readonly text: string;
  /** Seconds. */
  readonly time: number;
  readonly gold: readonly string[];
}

export interface RankingSet {
  readonly name: string;
  readonly kind: RankingKind;
  /** Both the oldest first. */
  readonly documents: readonly Document[];
  readonly questions: readonly Question[];
}

interface Recall {
  readonly at1: number;
  readonly at5: number;
}
export interface RankingFigures extends Recall {
  readonly name: string;
  readonly kind: RankingKind;
  readonly documents: number;
  readonly questions: number;
  readonly bm25: Recall;
  /** As a search finds it, with the model of `recall.embeddings`. */
  readonly byMeaning: Recall | undefined;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** A commit that changes more is no answer to one question. */
const MOST_FILES = 8;
const MOST_NAMED = 3;
const FEWEST_WORDS = 4;
const FEWEST_QUESTIONS = 10;
const LINES = 80;

/** Both sets of a history; one with so few questions that they say nothing is left out. */
export function setsOfHistory(history: History, most: number): RankingSet[] {
  return [filesOfCommits(history, most), earlierCommits(history, most)].filter(
    ({ questions }) => questions.length >= FEWEST_QUESTIONS,
  );
}

function filesOfCommits(history: History, most: number): RankingSet {
  const { name, changes, base, root, paths } = history;
  const present = new Set(paths.filter(isSource));
  const files = paths.map((path) => {
    return { id: path, kind: 'code', path, text: readFileSync(join(root, path), 'utf8'), time: 0 };
  });
  const commits = changes.slice(0, base).map((it) => ({ ...documentOf(it), kind: 'commit' }));
  const questions = changes.slice(base).flatMap((it) => {
    const gold = [...new Set(it.files)].filter((file) => present.has(file));
    return gold.length > MOST_FILES ? [] : questionOf(it, gold);
  });
  const kind = 'files of a commit';
  return { name, kind, documents: [...files, ...commits], questions: some(questions, most) };
}

function earlierCommits({ name, changes }: History, most: number): RankingSet {
  const byName = new Map<string, string[]>();
  const questions = changes.flatMap((it) => {
    const names = namedIn(it);
    const gold = [...new Set(names.flatMap((one) => byName.get(one) ?? []))];
    for (const one of [...names.filter((other) => other.startsWith('bug ')), shortId(it.id)])
      byName.set(one, [...(byName.get(one) ?? []), it.id]);
    return gold.length > MOST_NAMED ? [] : questionOf(it, gold);
  });
  const documents = changes.map((it) => ({ ...documentOf(it), kind: 'summary', session: it.id }));
  return { name, kind: 'earlier commits', documents, questions: some(questions, most) };
}

const documentOf = ({ id, time, subject, text, files }: Change) => {
  return { id, time, title: withoutNames(subject), text: withoutNames(text), files };
};

function questionOf({ subject, body, time }: Change, gold: readonly string[]): Question[] {
  const text = withoutNames(`${subject}\n${body}`);
  const isAsked = gold.length > 0 && text.split(/\s+/).length >= FEWEST_WORDS;
  return isAsked ? [{ text, time, gold }] : [];
}

/** Evenly over all of them. */
function some<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

const shortId = (id: string): string => id.slice(0, 7);

/** The commits that a message names, and the numbers of its bugs. */
function namedIn({ id, subject, body, text }: Change): string[] {
  const message = `${subject}\n${body}\n${text}`;
  const ids = (message.match(ID) ?? []).filter((it) => /\d/.test(it) && /[a-f]/.test(it));
  const bugs = [...message.matchAll(BUG)].map((it) => `bug ${it[1]}`);
  return [...ids.map(shortId).filter((it) => it !== shortId(id)), ...bugs];
}

const ID = /\b[0-9a-f]{7,40}\b/g;
const BUG = /(?:\bbug ?#|\bbug-id: *T?|show_bug\.cgi\?id=|\b(?:fixes|closes):? *#)(\d+)/gi;

/** A message without ids, numbers of bugs, links and trailers: with them, the answer would be in the question. */
const withoutNames = (text: string): string =>
  text
    .replaceAll(/^\s*[A-Z][\w-]*-(?:by|to|from|id|commit)\s*: .*$/gim, '')
    .replaceAll(/^\s*(?:reported by|suggested by|part-of|fixes|from|thanks to)\b.{0,80}$/gim, '')
    .replaceAll(/<?https?:\/\/\S+/g, ' ')
    .replaceAll(ID, ' ')
    .replaceAll(/\(?\b(?:bug|pr|issue)\s*#?\s*\d+\)?|#\d+/gi, ' ')
    .replaceAll(/[ \t]{2,}/g, ' ')
    .trim();

export function setOfPast(name: string, { conversations, questions }: Past): RankingSet {
  const seconds = (date: Date) => date.getTime() / 1_000;
  const documents = conversations.flatMap(({ session, at, messages }) =>
    messages.map(({ text }, number) => {
      return {
        id: `${session}/${number}`,
        kind: 'turn',
        session,
        text,
        time: seconds(at) + number,
      };
    }),
  );
  const asked = questions.map(({ text, at, gold }) => ({ text, time: seconds(at), gold }));
  return { name, kind: 'conversations', documents, questions: asked };
}

/** A folder with `docs.jsonl` and `queries.jsonl`; its name begins with `conv`, `code` or `hist`. */
export function setIn(folder: string): RankingSet {
  const name = basename(resolve(folder));
  const rows = <Row extends { time: number }>(file: string): Row[] =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line): Row => JSON.parse(line))
      .sort((a, b) => a.time - b.time);
  const at = ['conv', 'code', 'hist'].findIndex((it) => name.startsWith(it));
  const kind = KINDS[at];
  if (kind === undefined) throw new Error(`${name} begins with none of conv, code and hist`);
  return { name, kind, documents: rows('docs.jsonl'), questions: rows('queries.jsonl') };
}

const ASKED = 50;

/**
 * Imports the documents into stores in `folder`, and asks.
 *
 * @param embeddings the setting of this name with which it is asked once more.
 */
export async function measureRanking(
  folder: string,
  set: RankingSet,
  embeddings?: string,
): Promise<RankingFigures> {
  const times: number[] = [];
  const results = await measured(folder, set, { times });
  const byMeaning = embeddings ? await measured(folder, set, { times: [], embeddings }) : undefined;
  times.sort((a, b) => a - b);
  return {
    name: set.name,
    kind: set.kind,
    documents: set.documents.length,
    questions: set.questions.length,
    ...results,
    bm25: await answered(set, plainBm25()),
    byMeaning,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
  };
}

/** @param how `times` gets the milliseconds of processor time of each question. */
async function measured(
  folder: string,
  set: RankingSet,
  { times, embeddings = 'off' }: { readonly times: number[]; readonly embeddings?: string },
): Promise<Recall> {
  const home = mkdtempSync(join(folder, 'ranking-'));
  const [cwd, own] = [join(home, 'project'), join(home, 'lanehold')];
  for (const it of [cwd, own]) mkdirSync(it);
  const env = { HOME: home, LANEHOLD_HOME: own, PATH: process.env.PATH };
  const settings = JSON.stringify({ recall: { embeddings } });
  writeFileSync(homeOf(env).config, settings, { mode: 0o600 });
  const store = await openStore(homeOf(env));
  const base = { env, cwd, now: () => new Date(), progress: () => undefined };
  const context = { ...base, store: async () => store };
  const workspace = await openProject(context);
  const search = embeddings !== 'off';
  const results = await answered(set, {
    add: async (documents) => {
      await importDocuments(context, documents.map((it) => JSON.stringify(it)).join('\n'));
      const embedded = await embedPieces(context, workspace);
      if (embedded?.state === 'problem') throw new Error(embedded.problem);
    },
    find: async ({ text, time }) => {
      const start = process.cpuUsage();
      const query = JSON.stringify({ prompt: text, k: ASKED, now: time, search });
      const { ids } = await answerQuery(context, query);
      const { user, system } = process.cpuUsage(start);
      times.push((user + system) / 1_000);
      return ids;
    },
  });
  store.close();
  return results;
}

interface Searcher {
  add(documents: readonly Document[]): Promise<void>;
  /** Ids, the best first. */
  find(question: Question): Promise<readonly string[]>;
}

async function answered(
  { kind, documents, questions }: RankingSet,
  searcher: Searcher,
): Promise<Recall> {
  const sessions = new Map(documents.map(({ id, session }) => [id, session ?? id]));
  let added = 0;
  const addUntil = async (end: number) => {
    // A part at a time, because an import is one text.
    for (; added < end; added = Math.min(end, added + 500))
      await searcher.add(documents.slice(added, Math.min(end, added + 500)));
  };
  const sum = { at1: 0, at5: 0 };
  for (const question of questions) {
    const until = documents.findIndex(({ time }) => time >= question.time);
    await addUntil(kind !== 'earlier commits' || until === -1 ? documents.length : until);
    const found = await searcher.find(question);
    const ids =
      kind === 'conversations'
        ? new Set(found.map((it) => sessions.get(it)))
        : found.filter((it) => kind !== 'files of a commit' || !isTestFile(it));
    const gold = new Set<string | undefined>(question.gold);
    const share = (most: number) =>
      [...ids].slice(0, most).filter((it) => gold.has(it)).length / gold.size;
    sum.at1 += share(1);
    sum.at5 += share(5);
  }
  return { at1: sum.at1 / questions.length, at5: sum.at5 / questions.length };
}

/** A file is divided into pieces of some lines; commits are no answers, so they are left out beside files. */
function plainBm25(): Searcher {
  const db = new Sqlite(':memory:');
  db.exec(
    "CREATE VIRTUAL TABLE words USING fts5 (id UNINDEXED, title, files, body, tokenize = 'porter unicode61')",
  );
  const insert = db.prepare('INSERT INTO words VALUES (?, ?, ?, ?)');
  const select = db
    .prepare<[string], string>('SELECT id FROM words WHERE words MATCH ? ORDER BY rank LIMIT 200')
    .pluck();
  const piecesOf = ({ id, kind, title = '', text, path = id, files = [] }: Document) => {
    if (kind !== 'code') return [[id, title, files.join(' '), text]];
    const lines = text.split('\n');
    return Array.from({ length: Math.ceil(lines.length / LINES) }, (_, at) => {
      return [id, '', path, lines.slice(at * LINES, (at + 1) * LINES).join('\n')];
    });
  };
  return {
    add: async (documents) => {
      const pieces = documents.filter(({ kind }) => kind !== 'commit').flatMap(piecesOf);
      db.transaction(() => {
        for (const it of pieces) insert.run(...it);
      })();
    },
    find: async ({ text }) => {
      const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
      return [...new Set(select.all(words.map((it) => `"${it}"`).join(' OR ')))];
    },
  };
}

export function printRanking(all: readonly RankingFigures[]): void {
  const row = (
    name: string,
    asked: string,
    { at1, at5, bm25, byMeaning }: RankingRow,
    times = '',
  ) => {
    const figures = [at1, at5, bm25.at1, bm25.at5].map((it) => it.toFixed(3)).join('  ');
    const near = byMeaning
      ? `by meaning ${byMeaning.at1.toFixed(3)}  ${byMeaning.at5.toFixed(3)}`
      : '';
    console.log(`${name.padEnd(48)} ${asked.padStart(6)}  ${figures}  ${times}  ${near}`.trimEnd());
  };
  console.log(
    `${''.padEnd(48)}  asked  R@1    R@5    plain BM25    median    p95 (ms of processor time)`,
  );
  for (const it of all) {
    const times = [it.medianMs, it.p95Ms].map((ms) => ms.toFixed(1).padStart(6)).join(' ');
    row(`${it.kind}: ${it.name}`, `${it.questions}`, it, times);
  }
  for (const kind of KINDS) {
    const of = all.filter((it) => it.kind === kind);
    if (of.length > 0) row(`all ${kind}`, '', meanOf(of));
  }
  row('macro: the mean of all sets', '', meanOf(all));
}

type RankingRow = Pick<RankingFigures, 'at1' | 'at5' | 'bm25' | 'byMeaning'>;

function meanOf(all: readonly RankingRow[]): RankingRow {
  const mean = (of: (it: RankingRow) => Recall | undefined): Recall | undefined => {
    const each = all.flatMap((it) => of(it) ?? []);
    const sum = (name: keyof Recall) => each.reduce((so, it) => so + it[name], 0) / each.length;
    return each.length === 0 ? undefined : { at1: sum('at1'), at5: sum('at5') };
  };
  const none = { at1: 0, at5: 0 };
  const bm25 = mean((it) => it.bm25) ?? none;
  return { ...(mean((it) => it) ?? none), bm25, byMeaning: mean((it) => it.byMeaning) };
}
