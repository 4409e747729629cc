/** Search in what is remembered of a project, and filling it from elsewhere. */
import * as z from 'zod/mini';
import { actorOf } from '../agents/actor.ts';
import { ExplainedError, UsageError } from '../errors.ts';
import { indexNotes } from '../recall/notes.ts';
import { putItem } from '../recall/put-item.ts';
import { queryOf } from '../recall/query.ts';
import {
  type Found,
  type FoundFile,
  type FoundItem,
  relevant,
  searchFiles,
  searchItems,
} from '../recall/search.ts';
import { indexed, indexedPaths } from '../recall/words.ts';
import { noteRecallProjects, type RecallItem, recallStore } from '../store/recall.ts';
import { toldStore } from '../store/told.ts';
import { redact } from '../text/redact/redact.ts';
import { type AppContext, openProject } from './context.ts';

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

/** Lines of a source file that are found as one. */
const CHUNK_LINES = 80;

/**
 * Takes documents in, one JSON object a line.
 *
 * @throws {UsageError} that names the first line that is no document; nothing is taken in then.
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
  store.write(() => {
    for (const it of documents) {
      if (it.kind === 'code') recall.putFile({ projectId, path: it.id }, piecesOf(it, projectId));
      else if (it.kind === 'commit') {
        const words = { title: indexed(it.title ?? ''), body: indexed(it.text ?? '') };
        recall.putCommit(
          { projectId, oid: it.id, at: timeOf(it, context), files: it.files ?? [] },
          words,
        );
      } else putItem(recall, itemOf(it, projectId, context));
    }
    noteRecallProjects(store);
  });
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

const timeOf = ({ time }: ImportedDocument, { now }: AppContext): Date =>
  time === undefined ? now() : new Date(time * 1000);

function itemOf(it: ImportedDocument, projectId: number, context: AppContext): RecallItem {
  return {
    uid: it.id,
    projectId,
    kind: it.kind,
    status: 'active',
    title: redact(it.title ?? ''),
    body: redact(it.text ?? ''),
    conditions: '',
    files: it.files ?? [],
    links: [],
    commands: [],
    why: null,
    path: null,
    branch: null,
    source: 'import',
    agent: null,
    session: it.session ?? null,
    at: timeOf(it, context),
    checkedAt: null,
    digest: '',
    anchors: null,
  };
}

function piecesOf(it: ImportedDocument, projectId: number) {
  const lines = (it.text ?? '').split('\n');
  const path = it.id;
  const files = indexedPaths([it.path ?? path]);
  return Array.from({ length: Math.ceil(lines.length / CHUNK_LINES) }, (_, at) => {
    const first = at * CHUNK_LINES;
    const piece = lines.slice(first, first + CHUNK_LINES);
    const lastLine = first + piece.length;
    const chunk = { projectId, path, blob: '', firstLine: first + 1, lastLine, symbols: '' };
    return { chunk, files, body: indexed(piece.join('\n')) };
  });
}

const query = z.object({
  prompt: z.string(),
  k: z.optional(z.number()),
  /** Seconds. */
  now: z.optional(z.number()),
});

export interface QueryAnswer {
  /** Best first. */
  readonly ids: readonly string[];
  /** How many of them a prompt would bring. */
  readonly inject: number;
  readonly tokens: number;
}

/** Answers what a prompt would find; for measuring. @throws {UsageError} for what is no query. */
export async function answerQuery(context: AppContext, written: string): Promise<QueryAnswer> {
  const asked = query.safeParse(JSON.parse(written));
  if (!asked.success)
    throw new UsageError('this is no query', { hint: 'give {"prompt": "...", "k": 5}' });
  const { prompt, k = 10, now } = asked.data;
  const { store, projectId } = await openProject(context);
  const wish = {
    projectId,
    query: queryOf(prompt),
    now: now === undefined ? context.now() : new Date(now * 1000),
    limit: Math.max(80, k),
  };
  const items = searchItems(store, wish).map((it) => ({ ...it, id: it.item.uid }));
  const files = searchFiles(store, wish).map((it) => ({ ...it, id: it.path }));
  const told = [...relevant(items, wish.query), ...relevant(files, wish.query)];
  const rest = byRank(items, files).filter((it) => !told.includes(it));
  return {
    ids: [...told, ...rest].slice(0, k).map(({ id }) => id),
    inject: told.length,
    tokens: told.length * 40,
  };
}

type Ranked = Found & { readonly id: string } & (FoundItem | FoundFile);
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
  /** The share of the asked words, by their rarity, that it has. */
  readonly cover: number;
  readonly words: readonly string[];
  /** ISO 8601; absent for files. */
  readonly at?: string;
  /** Who said so: `person`, `agent`, `transcript`; absent for files. */
  readonly source?: string;
  /** Of which agent it is, where it is of one. */
  readonly agent?: string;
}

export interface SearchResult {
  /** Stems of the words that were searched for. */
  readonly terms: readonly string[];
  readonly hits: readonly SearchHit[];
  /** Ids that a prompt with these words would bring by itself. */
  readonly told: readonly string[];
}

/** Notes, summaries and files, best first. */
export async function searchRecall(
  context: AppContext,
  words: string,
  limit: number,
): Promise<SearchResult> {
  const workspace = await openProject(context);
  indexNotes(workspace);
  const { store, projectId } = workspace;
  const wish = { projectId, query: queryOf(words), now: context.now() };
  const items = searchItems(store, wish);
  const files = searchFiles(store, wish);
  const hits = items.map(({ item, score, cover, words: having }) => ({
    ...{ id: item.uid, kind: item.kind, title: item.title, score, cover, words: having },
    at: item.at.toISOString(),
    source: item.source,
    ...(item.agent === null ? {} : { agent: item.agent }),
  }));
  const paths = files.map(({ path, line, score, cover, words: having }) => ({
    ...{ id: `${path}:${line}`, kind: 'file', title: path, score, cover, words: having },
  }));
  return {
    terms: wish.query.terms,
    hits: [...hits.slice(0, limit), ...paths.slice(0, limit)],
    told: relevant(items, wish.query).map(({ item }) => item.uid),
  };
}

export class NothingRecalledError extends ExplainedError {
  override readonly code = 'NOTHING_RECALLED';
}

/** One item, whole. @throws {NothingRecalledError} also if it is of another project. */
export async function showItem(context: AppContext, id: string): Promise<RecallItem> {
  const workspace = await openProject(context);
  indexNotes(workspace);
  const found = recallStore(workspace.store).find(id);
  if (found === undefined || ![workspace.projectId, null].includes(found.projectId)) {
    throw new NothingRecalledError(`nothing is remembered as \`${id}\` in this project`, {
      hint: 'search for it: lanehold recall search <words>',
    });
  }
  // It was worth being told.
  const { agent } = actorOf(context);
  if (agent !== undefined) workspace.store.write(() => toldStore(workspace.store).open(id, agent));
  return found;
}
