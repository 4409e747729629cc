/** Finds files by their content and by the messages of commits that changed them, and those commits. */
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { codeStore, type FoundCommit, type FoundPiece } from '../../store/code-index.ts';
import type { Store } from '../../store/open.ts';
import { lineOf } from '../anchors.ts';
import { inert } from '../fence.ts';
import type { Query } from '../query.ts';
import {
  covered,
  DAY_MS,
  type ItemMatch,
  order,
  relevant,
  type SearchMatch,
  type SearchRequest,
  weighed,
} from '../search.ts';
import type { Telling } from '../told.ts';
import { indexed, indexedPaths, wordsOf } from '../words.ts';
import { declarationsIn } from './declarations.ts';

export type FileMatch = SearchMatch & {
  readonly path: string;
  /** The path, or the id of a document from elsewhere. */
  readonly name: string;
  /** Names that its best piece declares that contain words of the prompt. */
  readonly symbols: readonly string[];
};

const PIECES = 200;
const MOST_RANKED = 4_000;
const COMMITS = 100;
/** The number of files whose names are compared with the prompt: it lifts none from further down. */
const CANDIDATES = 60;
/** The number of files whose matching words are computed. */
const EXPLAINED = 3;

/** The values were measured on public histories, see `bench/recall.ts`. */
const BOOST = {
  nextPiece: 0.3,
  /** Boosts for words of the prompt in the name of the file, and in its folders. */
  name: 0.4,
  folders: 0.4,
  /** The boost for a file in the folder with the best files: what changes together is often there. */
  folder: 0.8,
  test: 0.6,
  votes: 0.5,
  commitDays: 720,
  commitScore: 1.5,
  commitFiles: 0.65,
};
/** The most neighbours in the prompt that are searched for as neighbours: these mark names and phrases. */
const MOST_PAIRS = 4;

/** Files by their content, and by the messages of commits that changed them. */
export function searchFiles(store: Store, request: SearchRequest): FileMatch[] {
  const { projectId, query, now, limit = CANDIDATES } = request;
  const code = codeStore(store);
  const { weights, terms, selective } = weighed(
    query,
    code.chunksWith,
    code.chunkCount() ?? 0,
    MOST_RANKED,
  );
  if (terms.length === 0) return [];
  const rare = new Set(selective);
  const pairs = [...query.pairs].filter((it) => isTellingPair(it, rare)).slice(0, MOST_PAIRS);
  const files = bestPieces(code.matchChunks(projectId, [...rare, ...pairs], PIECES));
  addVotes(files, commitVotes(code.matchCommits(projectId, terms, COMMITS), now));
  const asked = new Set(terms);
  const candidates = byScore(files).slice(0, Math.max(CANDIDATES, limit));
  for (const [path, file] of candidates) {
    file.score *= named(path, asked);
    if (!query.asksForTests && isTestFile(path)) file.score *= BOOST.test;
  }
  boostFolders(candidates);
  const ranked = byScore(candidates).slice(0, limit);
  const onlyInCommits = ranked.flatMap(([path, { piece }]) => (piece === undefined ? path : []));
  const names = code.namesOf(projectId, onlyInCommits);
  return ranked.flatMap(([path, { piece, score }], at) => {
    // A commit may name files that are gone, or that are not indexed.
    const name = piece?.name ?? names.get(path);
    if (name === undefined) return [];
    const words = new Set(indexedPaths([path]).split(' '));
    if (at < EXPLAINED && piece !== undefined) {
      for (const term of terms) if (code.chunkHas(`"${term}"`, piece.id) === 1) words.add(term);
    }
    const symbols = (piece?.symbols.split('\n') ?? []).filter((it) =>
      wordsOf(it).some((word) => asked.has(word)),
    );
    return [{ path, name, symbols, score, ...covered(terms, weights, words) }];
  });
}

/** Files are shown without a request only if they contain nearly all of the prompt's rare words. */
const TOLD_COVER = 0.75;
const TOLD_WORDS = 3;
const LONGEST_NAME = 120;

/** The results that a prompt gets without a request, the best first, for every interface. */
export function worthTelling<Item extends ItemMatch, File extends FileMatch>(
  items: readonly Item[],
  files: readonly File[],
  query: Query,
): (Item | File)[] {
  const isMeant = ({ cover, words, symbols }: FileMatch) =>
    cover >= TOLD_COVER && words.length >= TOLD_WORDS && symbols.length > 0;
  return [...relevant(items, query), ...relevant(files, query).slice(0, 1).filter(isMeant)];
}

/** The found names that a file declares now, and the line of the first, else the line with most rare words of the query. */
export function standsNow(root: string, { path, symbols }: FileMatch, query: Query) {
  const text = attempt(() => readPlainFile(join(root, path)));
  if (text === undefined) return undefined;
  const declared = declarationsIn(path, text).filter(({ name }) => symbols.includes(name));
  const names = [...new Set(declared.map(({ name }) => name))];
  return { names, line: declared[0]?.line ?? lineOf(path, text, query.text) ?? 1 };
}

/** The file at its present state; none if it is gone, or no longer declares these names. */
export function fileTellings(root: string, match: FileMatch, query: Query): Telling[] {
  const { path } = match;
  const { names, line: at } = standsNow(root, match, query) ?? { names: [] };
  if (names.length === 0) return [];
  const named = names.slice(0, 3).map((it) => inert(it, 60));
  const line = `- [file ${inert(path, LONGEST_NAME)}:${at}] declares ${named.join(', ')}`;
  return [{ uid: `file:${path}`, digest: line, line, says: [], saysOnly: false }];
}

export function searchCommits(store: Store, { projectId, query, limit }: SearchRequest) {
  const code = codeStore(store);
  const { weights, terms } = weighed(query, code.chunksWith, code.chunkCount() ?? 0, MOST_RANKED);
  if (terms.length === 0) return [];
  const found = code.matchCommits(projectId, terms, limit ?? COMMITS);
  const top = found[0]?.score ?? 1;
  return found.map((commit) => {
    const words = new Set(indexed(commit.title ?? '').split(' '));
    return { commit, score: commit.score / top, ...covered(terms, weights, words) };
  });
}

/** Best first. */
const byScore = (files: Iterable<[string, RankedFile]>): [string, RankedFile][] =>
  [...files].sort(([a, one], [b, other]) => other.score - one.score || order(a, b));

interface RankedFile {
  /** The best one; `undefined` if only commits name the file. */
  readonly piece: FoundPiece | undefined;
  score: number;
  pieces: number;
}

function isTellingPair(pair: string, rare: ReadonlySet<string>): boolean {
  const [one = '', other = ''] = pair.split(' ');
  return one !== other && (rare.has(one) || rare.has(other));
}

/** Grows with the number of words of the path that are in the prompt. */
function named(path: string, terms: ReadonlySet<string>): number {
  const cut = path.lastIndexOf('/') + 1;
  const having = (part: string): number => {
    const words = [...new Set(indexedPaths([part]).split(' '))].filter((it) => it !== '');
    return words.length === 0 ? 0 : words.filter((it) => terms.has(it)).length / words.length;
  };
  const name = path.slice(cut).replace(/\..*$/, '');
  return 1 + BOOST.name * having(name) + BOOST.folders * having(path.slice(0, cut));
}

/** A folder has the score of its best file, plus a little for each further one. */
function boostFolders(files: readonly [string, RankedFile][]): void {
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
  const sums = new Map(
    [...Map.groupBy(files, ([path]) => folderOf(path))].map(([folder, all]) => {
      return [folder, byScore(all).reduce((sum, [, it], at) => sum + it.score * 0.6 ** at, 0)];
    }),
  );
  const most = Math.max(...sums.values());
  for (const [path, file] of files)
    file.score *= 1 + (BOOST.folder * (sums.get(folderOf(path)) ?? 0)) / most;
}

/** A file has the score of its best piece, plus a little for each further one. */
function bestPieces(pieces: readonly FoundPiece[]): Map<string, RankedFile> {
  const files = new Map<string, RankedFile>();
  const top = pieces[0]?.score ?? 1;
  for (const piece of pieces) {
    const known = files.get(piece.path);
    const part = piece.score / top;
    if (known === undefined) files.set(piece.path, { piece, score: part, pieces: 1 });
    else {
      known.score += part * BOOST.nextPiece * 0.5 ** (known.pieces - 1);
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
    if (known === undefined) files.set(path, { piece: undefined, score, pieces: 0 });
    else known.score += score;
  }
}

/** Each commit near the prompt adds to the score of its files, less if it changed many. */
function commitVotes(matches: readonly FoundCommit[], now: Date): Map<string, number> {
  const votes = new Map<string, number>();
  const top = matches[0]?.score ?? 1;
  for (const { score, at, files: listed } of matches) {
    const files = JSON.parse(listed) as readonly string[];
    const age = Math.max(0, now.getTime() - at) / DAY_MS;
    const weight =
      ((score / top) ** BOOST.commitScore * (0.5 + 0.5 * Math.exp(-age / BOOST.commitDays))) /
      files.length ** BOOST.commitFiles;
    for (const path of files) votes.set(path, (votes.get(path) ?? 0) + weight);
  }
  return votes;
}

export const isTestFile = (path: string): boolean =>
  /(?:^|\/)(?:__tests__|__snapshots__|__mocks__|tests?|specs?|fixtures?|e2e|bench(?:marks?)?)(?:\/|$)|[._-](?:test|spec|bench)s?\.\w+$|(?:^|\/)test_\w+\.py$/.test(
    path,
  );
