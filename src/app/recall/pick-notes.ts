/** Has the model of `recall.model` pick the notes that a session needs now: beside the session, which does not wait. */
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import { ownRecall } from '../../base/config/own-recall.ts';
import { UsageError } from '../../base/errors.ts';
import { lockFile, shortHash, whileFree } from '../../base/process/with-lock.ts';
import type { Workspace } from '../../features/workspace.ts';
import {
  chunksOf,
  MOST_PICKED,
  type PickPrompt,
  pickPrompt,
  readPicked,
  sessionEnd,
} from '../../recall/picking.ts';
import { DAY_MS } from '../../recall/search.ts';
import { type SessionName, summaryId } from '../../recall/summaries.ts';
import { lastOfTranscript } from '../../recall/transcripts.ts';
import { modelCallStore } from '../../store/model-calls.ts';
import { type RecallItem, recallStore } from '../../store/recall.ts';
import { toldStore } from '../../store/told.ts';
import { type AppContext, openProject } from '../context.ts';
import { tokensIn } from './ask-program.ts';
import { modelAnswer } from './model-answer.ts';
import { recordedSession } from './sessions.ts';

export interface PickRequest {
  /** The session that is asked about; without it the last one of the project. */
  readonly session?: string | undefined;
  /** Its transcript, which is read if `recall.transcripts` is on; else what hooks have recorded counts. */
  readonly transcript?: string | undefined;
}

export type Picked =
  | {
      readonly state: 'asked';
      readonly calls: number;
      /** The number of chunks of notes for which the limits left no call. */
      readonly left: number;
      readonly tokens: number;
      /** Why calls had no usable answer. */
      readonly problems: readonly string[];
      readonly picked: readonly { readonly id: string; readonly title: string }[];
    }
  /**
   * `off`: of this project nothing is recorded. `nothing`: there are no notes that the session was not told, or it did
   * nothing. `busy`: it is asked already. `paused`: the last call failed minutes ago.
   */
  | { readonly state: 'off' | 'nothing' | 'busy' | 'paused' };

const PAUSE_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

/** @throws {ExplainedError} without a model, or without a session. */
export async function pickNotes(context: AppContext, request: PickRequest): Promise<Picked> {
  const { env, now } = context;
  if (ownRecall(env, 'model').value === null)
    throw new UsageError('no model is set that picks notes', {
      hint: "set one: lanehold config set recall.model 'my-model --print'",
    });
  const workspace = await openProject(context);
  const { store, place } = workspace;
  const { mode } = await captureOf(place.root, env);
  if (mode === 'off' || env.LANEHOLD_RECALL === 'off') return { state: 'off' };
  const { row, seen } = recordedSession(workspace, request.session);
  const since = new Date(now().getTime() - PAUSE_MS);
  const isTyped = request.session === undefined;
  if (!isTyped && modelCallStore(store).lastProblem(since)) return { state: 'paused' };
  const lock = lockFile(store.home.locks, 'recall', shortHash(`model ${summaryId(row)}`));
  const asked = await whileFree(lock, async () => {
    const read = await lastOf(context, workspace, row, request.transcript);
    return ask(context, workspace, row, sessionEnd(read ?? seen));
  });
  return asked ?? { state: 'busy' };
}

/** The last entries of the transcript, if the user allows reading it. */
async function lastOf(
  { env }: AppContext,
  { place: { root } }: Workspace,
  { agent }: SessionName,
  transcript: string | undefined,
) {
  if (!transcript || recallSettings(root, env).transcripts.value !== 'on') return undefined;
  const { ignores } = await captureOf(root, env);
  return lastOfTranscript(agent, transcript, { root, ignores });
}

async function ask(
  context: AppContext,
  workspace: Workspace,
  session: SessionName,
  end: string,
): Promise<Picked> {
  const { store, projectId } = workspace;
  const recall = recallStore(store);
  const shown = new Set(toldStore(store).shownTo(session.agent, session.session));
  const itemsOf = (uids: Iterable<string>): RecallItem[] =>
    [...uids].flatMap((uid) => recall.find(uid) ?? []);
  const told = itemsOf(shown);
  const prompts = chunksOf(recall.list(projectId), session.agent)
    .filter((notes) => notes.some(({ uid }) => !shown.has(uid)))
    .map((notes) => pickPrompt(notes, end, told))
    // Where the limits leave no call for all, the newest notes count.
    .reverse();
  if (end === '' || prompts.length === 0) return { state: 'nothing' };
  const calls = await callModel(context, workspace, session, prompts);
  const found = calls.map(({ picked }) => picked.filter((uid) => !shown.has(uid)));
  const asked = calls.length;
  if (found.filter((it) => it.length > 0).length > 1) {
    // Notes of two chunks can mean the same.
    const again = pickPrompt(itemsOf(found.flat()), end, told);
    const [reduced] = await callModel(context, workspace, session, [again]);
    if (reduced !== undefined) {
      calls.push(reduced);
      found.splice(0, found.length, [...reduced.picked]);
    }
  }
  const picked = found.flat().slice(0, MOST_PICKED);
  const last = calls.at(-1)?.id;
  if (last !== undefined && picked.length > 0)
    store.write(() => modelCallStore(store).keepPicked(last, picked));
  return {
    state: 'asked',
    calls: calls.length,
    left: prompts.length - asked,
    tokens: calls.reduce((sum, it) => sum + it.tokens, 0),
    problems: calls.flatMap(({ problem }) => problem ?? []),
    picked: itemsOf(picked).map(({ uid, title }) => ({ id: uid, title })),
  };
}

/** Asks all at the same time, as far as the limits allow. */
async function callModel(
  { env, now }: AppContext,
  { store, projectId }: Workspace,
  { agent, session }: SessionName,
  prompts: readonly PickPrompt[],
) {
  const calls = modelCallStore(store);
  const setting = (name: 'modelCalls' | 'modelTokens') => ownRecall(env, name).value;
  const allowed = store.write(() => {
    const at = now();
    const minute = calls.since(new Date(at.getTime() - MINUTE_MS));
    const day = calls.since(new Date(at.getTime() - DAY_MS));
    const most = Math.max(0, setting('modelCalls') - minute.calls);
    let left = setting('modelTokens') - day.tokens - day.said;
    return prompts.slice(0, most).flatMap((prompt) => {
      const tokens = tokensIn(`${prompt.prefix}${prompt.rest}`);
      left -= tokens;
      return left < 0 ? [] : [{ prompt, id: calls.add({ projectId, agent, session, at, tokens }) }];
    });
  });
  const asked = ownRecall(env, 'model').value ?? '';
  const model = { asked, name: ownRecall(env, 'modelName').value };
  return Promise.all(
    allowed.map(async ({ prompt, id }) => {
      const answer = await modelAnswer(model, prompt, { env, home: store.home });
      const { text, problem: failure, ...cost } = answer;
      const read = failure === undefined ? readPicked(text, prompt) : [];
      const problem =
        failure ??
        (read === undefined ? 'it answered no JSON of the form {"notes":["lh-…"]}' : null);
      store.write(() => calls.end({ ...cost, id, problem }));
      return { id, picked: read ?? [], problem, tokens: cost.tokens + cost.said };
    }),
  );
}
