/** Search in the records of a project, and imports of documents. */
import * as z from 'zod/mini';
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { parsedJson } from '../../base/text/json.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { Workspace } from '../../features/workspace.ts';
import { type Drift, driftOf, isOutdated } from '../../recall/anchors.ts';
import { fileHits } from '../../recall/code/hits.ts';
import { piecesOf } from '../../recall/code/pieces.ts';
import {
  type FileMatch,
  searchCommits,
  searchFiles,
  standsNow,
  worthTelling,
} from '../../recall/code/search-code.ts';
import { withMeaning } from '../../recall/meaning.ts';
import { indexNotes } from '../../recall/notes.ts';
import { EMPTY_FIELDS, putItem } from '../../recall/put-item.ts';
import { queryOf } from '../../recall/query.ts';
import {
  type ItemMatch,
  MOST_TOLD,
  type SearchMatch,
  type SearchRequest,
  searchItems,
} from '../../recall/search.ts';
import { tokensOf } from '../../recall/tokens.ts';
import { itemLine } from '../../recall/told.ts';
import { type Turn, turnsOf } from '../../recall/turns.ts';
import { indexed } from '../../recall/words.ts';
import { codeStore } from '../../store/code-index.ts';
import { mergeSegments } from '../../store/merge-segments.ts';
import { observationStore } from '../../store/observations.ts';
import type { Store } from '../../store/open.ts';
import { fileOf, type RecallItem, recallStore } from '../../store/recall.ts';
import { toldStore } from '../../store/told.ts';
import { type AppContext, openProject } from '../context.ts';
import { nearInMeaning, problemOf } from './embeddings.ts';
import { readMemoryFiles } from './refresh.ts';

const importedDocument = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  kind: z.string(),
  title: z.optional(z.string()),
  text: z.optional(z.string()),
  path: z.optional(z.string()),
  files: z.optional(z.array(z.string())),
  session: z.optional(z.string()),
  /** Seconds. */
  time: z.optional(z.number()),
});
type ImportedDocument = z.infer<typeof importedDocument>;

/**
 * Imports documents, one JSON object in a line.
 *
 * @throws {UsageError} that names the first line that is no document; then nothing is imported.
 */
export async function importDocuments(
  context: AppContext,
  text: string,
): Promise<{ imported: number }> {
  const documents = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [parsed(line, at + 1)]));
  const { store, projectId } = await openProject(context);
  const recall = recallStore(store);
  const code = codeStore(store);
  store.write(() => {
    for (const it of documents) {
      if (it.kind === 'code') {
        const { id, path = id, text = '' } = it;
        code.putFile({ projectId, path, blob: '', uid: id }, piecesOf(path, redact(text)));
      } else if (it.kind === 'commit') {
        const words = {
          title: indexed(redact(it.title ?? '')),
          body: indexed(redact(it.text ?? '')),
        };
        const at = timeOf(it, context);
        const commit = { projectId, oid: it.id, at, files: (it.files ?? []).map(redact) };
        code.putCommit({ ...commit, title: null, author: null }, words);
      } else putItem(recall, itemOf(it, projectId, context));
    }
  });
  await mergeSegments(store);
  return { imported: documents.length };
}

function parsed(line: string, number: number): ImportedDocument {
  try {
    return importedDocument.parse(JSON.parse(line));
  } catch (error) {
    const hint =
      'each line is a JSON object with `id`, `kind`, and `title`, `text`, `files`, `time`';
    throw new UsageError(`line ${number} is no document`, { hint, cause: error });
  }
}

const timeOf = ({ time }: ImportedDocument, context: AppContext): Date =>
  time === undefined ? clockOf(context)() : new Date(time * 1000);

function itemOf(it: ImportedDocument, projectId: number, context: AppContext): RecallItem {
  return {
    ...EMPTY_FIELDS,
    uid: it.id,
    projectId,
    kind: it.kind,
    title: it.title ?? '',
    body: it.text ?? '',
    files: it.files ?? [],
    source: 'import',
    session: it.session ?? null,
    at: timeOf(it, context),
    digest: '',
  };
}

const query = z.object({
  prompt: z.string(),
  k: z.optional(z.number()),
  /** Seconds. */
  now: z.optional(z.number()),
  /** A folder of the project to search; by default the command's. */
  cwd: z.optional(z.string()),
  /** The order of a search, which also finds by meaning if that is set; it tells nothing. */
  search: z.optional(z.boolean()),
});

/**
 * The results for a prompt, best first, and the number that the prompt would get; for measurements.
 *
 * @throws {UsageError} for an invalid query.
 */
export async function answerQuery(context: AppContext, written: string) {
  const asked = query.safeParse(parsedJson(written));
  if (!asked.success)
    throw new UsageError('this is no query', { hint: 'give {"prompt": "...", "k": 5}' });
  const { prompt, k = 10, now, cwd = context.cwd, search = false } = asked.data;
  const workspace = await openProject({ ...context, cwd });
  const { store, projectId } = workspace;
  const wish = {
    projectId,
    query: queryOf(prompt),
    now: now === undefined ? clockOf(context)() : new Date(now * 1000),
    limit: Math.max(60, k),
  };
  const byWords = searchItems(store, wish);
  const near = search ? await nearInMeaning(context, workspace, prompt) : [];
  const items = withMeaning(byWords, near).map((it) => ({ ...it, id: it.item.uid }));
  const files = searchFiles(store, wish).map((it) => ({ ...it, id: it.name }));
  const told = search ? [] : worthTelling(items, files, wish.query).slice(0, MOST_TOLD);
  const rest = byRank(items, files).filter((it) => !told.includes(it));
  return {
    ids: [...told, ...rest].slice(0, k).map(({ id }) => id),
    inject: told.length,
    tokens: tokensOf(told.map((it) => ('item' in it ? itemLine(it.item) : it.path)).join('\n')),
  };
}

/** The clock; `LANEHOLD_NOW`, in seconds, sets the time of a measurement. */
function clockOf({ env, now }: AppContext): () => Date {
  const seconds = Number(env.LANEHOLD_NOW || Number.NaN);
  return Number.isFinite(seconds) ? () => new Date(seconds * 1000) : now;
}

type Ranked = SearchMatch & { readonly id: string } & (ItemMatch | FileMatch);
function byRank(one: readonly Ranked[], other: readonly Ranked[]): Ranked[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, at) => [one[at], other[at]])
    .flat()
    .filter((it) => it !== undefined);
}

export interface SearchHit {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly score: number;
  /** The share of the searched words that it has, weighted by rarity. */
  readonly cover: number;
  readonly words: readonly string[];
  /** ISO 8601; for a file, the time of its newest commit. */
  readonly at?: string;
  /** The source: `person`, `agent`, `transcript`; absent for files. */
  readonly source?: string;
  readonly agent?: string;
  /** The file of that agent with the text. */
  readonly from?: string;
  /** The last author of a file. */
  readonly by?: string;
  /** Cited files that have changed or are gone: a prompt does not get it. */
  readonly outdated?: Drift;
  /** The turn of the session with the words: shown by `<id>/<number>`. */
  readonly turn?: NumberedTurn;
  /** Names that are declared near the words in the file. */
  readonly symbols?: readonly string[];
  /** Tests of the file: by their names, else those that change with it. */
  readonly tests?: readonly string[];
}

export type SearchResult = Awaited<ReturnType<typeof searchRecall>>;

/**
 * Notes and summaries, then files, then commits, each best first; with the searched stems, and the ids that a prompt
 * with these words would get.
 */
export async function searchRecall(context: AppContext, words: string, limit: number) {
  const workspace = await openProject(context);
  indexNotes(workspace);
  await readMemoryFiles(workspace, context.env);
  const { store, projectId, place } = workspace;
  const asPrompt = queryOf(words);
  // A prompt of common words alone brings nothing, but a person who searches for them expects results.
  const query = asPrompt.terms.length > 0 ? asPrompt : queryOf(words, () => true);
  const wish = { projectId, query, now: clockOf(context)() };
  const items = searchItems(store, wish);
  const { near, problem } = await nearOrProblem(context, workspace, words);
  const hits = withMeaning(items, near)
    .slice(0, limit)
    .map(({ item, turns, score, cover, words: having }) => ({
      id: item.uid,
      kind: item.kind,
      title: item.title,
      score,
      cover,
      words: having,
      at: item.at.toISOString(),
      source: item.source,
      ...(item.agent === null ? {} : { agent: item.agent }),
      ...(fileOf(item) === undefined ? {} : { from: fileOf(item) as string }),
      ...(turns[0] && { turn: placed(store, turns[0]) }),
      ...(isOutdated(place.root, item) && { outdated: driftOf(place.root, item) }),
    }));
  const best = searchFiles(store, { ...wish, limit: 1 });
  const worth = asPrompt.terms.length > 0 ? worthTelling(items, best, asPrompt) : [];
  const told = worth
    .slice(0, MOST_TOLD)
    .filter((it) =>
      'item' in it
        ? !isOutdated(place.root, it.item)
        : standsNow(place.root, it, asPrompt)?.names.length,
    );
  return {
    terms: wish.query.terms,
    /** Why nothing is found by its meaning, although that is set. */
    ...(problem === undefined ? {} : { problem }),
    hits: [...hits, ...codeHits(store, place.root, wish, limit)],
    told: told.map((it) => ('item' in it ? it.item.uid : it.path)),
  };
}

/** Words find without a model. */
async function nearOrProblem(context: AppContext, workspace: Workspace, words: string) {
  try {
    return { near: await nearInMeaning(context, workspace, words) };
  } catch (error) {
    return { near: [], problem: problemOf(error) };
  }
}

function codeHits(store: Store, root: string, wish: SearchRequest, limit: number): SearchHit[] {
  const files = fileHits(store, root, wish, limit).map(({ path, line, last, ...found }) => ({
    id: `${path}:${line}`,
    kind: 'file',
    title: path,
    score: found.score,
    cover: found.cover,
    words: found.words,
    symbols: found.symbols,
    tests: found.tests,
    ...(last && { at: last.at.toISOString(), by: last.author }),
  }));
  const commits = searchCommits(store, { ...wish, limit }).flatMap(({ commit, ...found }) => {
    const { oid, title, author, at } = commit;
    if (title === null) return [];
    const facts = { id: oid.slice(0, 12), kind: 'commit', title, by: author ?? '' };
    return [{ ...facts, ...found, at: new Date(at).toISOString() }];
  });
  return [...files, ...commits];
}

export interface NumberedTurn {
  /** The number of the turn in the session, from 1. */
  readonly number: number;
  readonly at: string;
  readonly asked: string;
  readonly answered: string;
}

const turnsOfSession = (store: Store, agent: string, session: string): Turn[] =>
  turnsOf(observationStore(store).ofSession(agent, session));

const numbered = ({ at, asked, answered }: Turn, number: number): NumberedTurn => ({
  ...{ number, at: at.toISOString(), asked, answered },
});

function placed(store: Store, turn: Turn): NumberedTurn {
  const all = turnsOfSession(store, turn.agent, turn.session);
  return numbered(turn, 1 + all.findIndex(({ id }) => id === turn.id));
}

export interface ShownItem extends RecallItem {
  readonly outdated: Drift;
  readonly turns?: readonly NumberedTurn[];
}

/**
 * One whole item; `se-7f3a2c10/3` is the third turn of a session, with those beside it.
 *
 * @throws {UsageError} if there is none in this project.
 */
export async function showItem(context: AppContext, id: string): Promise<ShownItem> {
  const workspace = await openProject(context);
  indexNotes(workspace);
  await readMemoryFiles(workspace, context.env);
  const { store, projectId, place } = workspace;
  const [uid = '', wanted] = id.split('/');
  const found = recallStore(store).find(uid);
  const { agent, session } = found ?? {};
  const turns =
    wanted && agent && session
      ? turnsOfSession(store, agent, session)
          .map((it, at) => numbered(it, at + 1))
          .filter(({ number }) => Math.abs(number - Number(wanted)) <= 1)
      : [];
  const isThere = wanted === undefined || turns.some(({ number }) => number === Number(wanted));
  if (found === undefined || ![projectId, null].includes(found.projectId) || !isThere) {
    throw new UsageError(`nothing is remembered as \`${id}\` in this project`, {
      code: 'NOTHING_RECALLED',
      hint: 'search for it: lanehold recall search <words>',
    });
  }
  // Looking it up shows that the item was useful.
  const asking = actorOf(context).agent;
  if (asking !== undefined) store.write(() => toldStore(store).open(uid, asking));
  const outdated = driftOf(place.root, found);
  return { ...found, outdated, ...(wanted === undefined ? {} : { turns }) };
}
