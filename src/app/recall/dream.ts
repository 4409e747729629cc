/** Proposals: changes to notes, guards and features, each with a diff, that are applied only on request. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ownRecall } from '../../base/config/own-recall.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { lockFile, shortHash, whileFree } from '../../base/process/with-lock.ts';
import { sha256 } from '../../base/text/sha256.ts';
import type { Workspace } from '../../features/workspace.ts';
import { driftOf } from '../../recall/anchors.ts';
import { findByRules, type ProposalDraft, type SessionQuote } from '../../recall/dream/rules.ts';
import { takeLateNow } from '../../recall/late.ts';
import { indexNotes, type Notebook, openNotebook } from '../../recall/notes.ts';
import { isWithdrawn } from '../../recall/prompts.ts';
import { summaryOf } from '../../recall/summaries.ts';
import { guardStore } from '../../store/guards.ts';
import { observationStore } from '../../store/observations.ts';
import { type Proposal, proposalStore } from '../../store/proposals.ts';
import { recallStore } from '../../store/recall.ts';
import { toldStore } from '../../store/told.ts';
import { type AppContext, openProject } from '../context.ts';
import { operationDiff, perform } from './dream-operations.ts';
import { thinkByProgram } from './dream-program.ts';

export interface DreamWish {
  readonly since?: Date | undefined;
  readonly dryRun: boolean;
  /** The program in place of that of the settings; `false`: none. */
  readonly program?: string | false | undefined;
  readonly signal: AbortSignal;
}

/** The new proposals; those of a dry run are not stored. */
export type Dreamt = Awaited<ReturnType<typeof dreamAlone>>;

export type ProposalView = ReturnType<typeof viewOf>;

/** @throws {ExplainedError} if another process runs it. */
export async function dream(context: AppContext, wish: DreamWish): Promise<Dreamt> {
  const workspace = await openProject(context);
  const { store, place } = workspace;
  const lock = lockFile(store.home.locks, 'dream', shortHash(place.identity));
  const done = await whileFree(lock, () => dreamAlone(context, workspace, wish));
  if (done !== undefined) return done;
  throw new ExplainedError('another `lanehold dream` is at work in this project', {
    hint: 'wait until it has ended; see `lanehold dream list`',
  });
}

async function dreamAlone(
  context: AppContext,
  workspace: Workspace,
  { since, dryRun, program, signal }: DreamWish,
) {
  const { store, projectId } = workspace;
  const now = context.now();
  takeLateNow(store);
  indexNotes(workspace);
  const byRules = findByRules(recordOf(workspace, since, now));
  const thought = await thinkByProgram(context, workspace, program, { dryRun, signal });
  // The program may have taken minutes.
  const book = openNotebook(workspace);
  const made = [
    ...byRules.map((it) => proposalOf(book, it, 'rules', now)),
    ...thought.found.map((it) => proposalOf(book, it, 'program', now)),
  ];
  const proposals = proposalStore(store);
  const proposed = made.filter(
    ({ uid }, at) =>
      proposals.find(projectId, uid) === undefined &&
      made.findIndex((other) => other.uid === uid) === at,
  );
  if (!dryRun) {
    store.write(() => {
      for (const it of proposed) proposals.add(it);
      thought.keep();
    });
  }
  const applied = dryRun ? [] : await applyAtOnce(context, proposed);
  return {
    proposed: proposed.map(viewOf),
    /** Ids that were applied at once, because of the user's settings. */
    applied,
    /** The number of waiting proposals, with the new ones. */
    waiting: proposals.waiting(projectId).length,
    program: thought.report,
  };
}

const MOST_SESSIONS = 300;

function recordOf(workspace: Workspace, since: Date | undefined, now: Date) {
  const { store, projectId, place } = workspace;
  const told = toldStore(store);
  return {
    items: recallStore(store).list(projectId),
    said: saidIn(workspace, since),
    drift: (item: Parameters<typeof driftOf>[1]) => driftOf(place.root, item),
    told: new Set(told.items(projectId).map(({ uid }) => uid)),
    exists: (path: string) => existsSync(join(place.root, path)),
    guards: guardStore(store).list(projectId),
    met: new Map(told.rules(projectId).map(({ uid, at }) => [uid, at])),
    now,
  };
}

function saidIn({ store, projectId }: Workspace, since: Date | undefined): SessionQuote[] {
  const observations = observationStore(store);
  return observations
    .sessions(projectId, MOST_SESSIONS)
    .filter(({ last }) => since === undefined || last >= since.getTime())
    .reverse()
    .reduce<SessionQuote[]>((earlier, { agent, session }) => {
      const seen = observations.ofSession(agent, session);
      const { basis, constraints, decisions, gotchas, files } = summaryOf(seen);
      const of = (kind: SessionQuote['kind'], texts: readonly string[]) =>
        texts.map((quote): SessionQuote => ({ kind, session, quote, files }));
      const own = basis === 'agent' ? [...of('decision', decisions), ...of('gotcha', gotchas)] : [];
      const prompts = seen.flatMap(({ kind, text }) => (kind === 'prompt' && text ? [text] : []));
      const standing = earlier.filter(({ quote }) => !prompts.some((it) => isWithdrawn(quote, it)));
      return [...standing, ...of('instruction', constraints), ...own];
    }, []);
}

function proposalOf(
  book: Notebook,
  found: ProposalDraft,
  source: Proposal['source'],
  now: Date,
): Proposal {
  const { projectId } = book.workspace;
  const digest = sha256(JSON.stringify([projectId, matterOf(found)]));
  return {
    ...found,
    uid: `dp-${digest.slice(0, 8)}`,
    projectId,
    diff: operationDiff(book, found.operation),
    source,
    status: 'waiting',
    at: now,
    decidedAt: null,
  };
}

/** The part that makes two proposals equal: suggestions and sessions do not count. */
function matterOf({ operation }: ProposalDraft): unknown {
  if (operation.op === 'create') return ['create', operation.kind, operation.title];
  if (operation.op === 'guard') return ['guard', operation.files];
  if (operation.op === 'feature') return ['feature', operation.name];
  return operation;
}

/** Rules, features (whose tests run), and the choice between two notes are left to a person. */
const IS_LEFT: readonly string[] = ['guard', 'unguard', 'feature', 'supersede'];

async function applyAtOnce(context: AppContext, proposed: readonly Proposal[]): Promise<string[]> {
  if (ownRecall(context.env, 'dream').value !== 'auto') return [];
  const applied: string[] = [];
  for (const it of proposed.filter(({ operation }) => !IS_LEFT.includes(operation.op))) {
    await applyOne(context, it);
    applied.push(it.uid);
  }
  return applied;
}

async function applyOne(context: AppContext, { uid, operation }: Proposal): Promise<void> {
  const { store } = await openProject(context);
  // A repetition is harmless: if the process ends in between, the proposal still waits.
  await perform(context, uid, operation);
  store.write(() => proposalStore(store).decide(uid, 'applied', context.now()));
}

export async function listProposals(context: AppContext) {
  const { store, projectId } = await openProject(context);
  return { proposals: proposalStore(store).waiting(projectId).map(viewOf) };
}

/** @throws {UsageError} if there is no such proposal. */
export async function showProposal(context: AppContext, id: string): Promise<ProposalView> {
  return viewOf(await findProposal(context, id));
}

async function findProposal(context: AppContext, id: string): Promise<Proposal> {
  const { store, projectId } = await openProject(context);
  const found = proposalStore(store).find(projectId, id);
  if (found !== undefined) return found;
  throw new UsageError(`there is no proposal \`${id}\` in this project`, {
    code: 'NO_SUCH_PROPOSAL',
    hint: 'see `lanehold dream list`',
  });
}

/** @throws {ExplainedError} if there is none, if it was decided, or if it needs a person. */
async function findWaiting(context: AppContext, id: string): Promise<Proposal> {
  const proposal = await findProposal(context, id);
  if (proposal.status === 'waiting') return proposal;
  throw new ExplainedError(`the proposal ${id} was ${proposal.status} already`, {
    hint: 'see what waits: lanehold dream list',
  });
}

/** Applies proposals, after all were found. @param ids `all`: every waiting one. */
export async function applyProposals(context: AppContext, ids: readonly string[] | 'all') {
  const { store, projectId } = await openProject(context);
  const wanted =
    ids === 'all'
      ? proposalStore(store).waiting(projectId)
      : await Promise.all([...new Set(ids)].map((id) => findWaiting(context, id)));
  for (const it of wanted) await applyOne(context, it);
  return { applied: wanted.map((it) => viewOf({ ...it, status: 'applied' })) };
}

/** Rejects proposals, which are then not made again. */
export async function rejectProposals(context: AppContext, ids: readonly string[]) {
  const { store } = await openProject(context);
  const wanted = await Promise.all([...new Set(ids)].map((id) => findWaiting(context, id)));
  store.write(() => {
    for (const { uid } of wanted) proposalStore(store).decide(uid, 'rejected', context.now());
  });
  return { rejected: wanted.map((it) => viewOf({ ...it, status: 'rejected' })) };
}

function viewOf({ uid, projectId: _, at, decidedAt: __, ...rest }: Proposal) {
  return { id: uid, ...rest, at: at.toISOString() };
}
