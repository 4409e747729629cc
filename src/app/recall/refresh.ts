/** Reads the agents' own transcripts and memory files, and the project's files and commits. */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import { ExplainedError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { lockFile, shortHash, whileFree } from '../../base/process/with-lock.ts';
import { plural } from '../../base/text/printable.ts';
import type { Workspace } from '../../features/workspace.ts';
import { type IndexReport, indexProject } from '../../recall/code/index-project.ts';
import { takeLateNow } from '../../recall/late.ts';
import { refreshMemory } from '../../recall/memory-files.ts';
import { indexNotes } from '../../recall/notes.ts';
import { putItem } from '../../recall/put-item.ts';
import { type TranscriptsTaken, takeTranscripts } from '../../recall/transcripts.ts';
import { indexTurns, indexUnfoundTurns } from '../../recall/turns.ts';
import { codeStore } from '../../store/code-index.ts';
import { emptyIfDamaged, mergeSegments } from '../../store/merge-segments.ts';
import { observationStore } from '../../store/observations.ts';
import type { Store } from '../../store/open.ts';
import { projectStore } from '../../store/projects.ts';
import { recallStore } from '../../store/recall.ts';
import { type AppContext, openProject } from '../context.ts';
import { type Embedded, embedPieces } from './embeddings.ts';
import { followRenames } from './note-editing.ts';

export interface Refreshed {
  readonly transcripts:
    | ({ readonly state: 'done' } & TranscriptsTaken)
    /** `ask`: the user has not decided whether they may be read. */
    | { readonly state: 'ask' | 'off' | 'busy' };
  /** The number of changed or removed items from the agents' memory files. */
  readonly memory: number;
  /** The index over files and commits; absent without git. */
  readonly code?: IndexResult;
  /** How many texts got a vector; absent if `recall.embeddings` is off. */
  readonly embedded?: Embedded;
}

/** The number of sessions after which a person gets a line of progress. */
const PROGRESS_EACH = 100;

export async function refreshRecall(context: AppContext): Promise<Refreshed> {
  const { env } = context;
  const workspace = await openProject(context);
  const { place } = workspace;
  const ignores = await ignoredIn(place, env);
  if (ignores === undefined) return { transcripts: { state: 'off' }, memory: 0 };
  const memory = await readMemoryFiles(workspace, env);
  // A person or a pull may have changed documents.
  indexNotes(workspace);
  await followRenames(workspace);
  indexUnfoundTurns(workspace.store, workspace.projectId);
  const transcripts = await readSessions(context, workspace, ignores);
  await mergeSegments(workspace.store);
  const code = place.kind === 'git' ? { code: await indexCode(context) } : {};
  // It takes longest, so it comes last.
  const embedded = await embedPieces(context, workspace);
  return { transcripts, memory, ...code, ...(embedded && { embedded }) };
}

async function readSessions(
  { env, progress: say }: AppContext,
  workspace: Workspace,
  ignores: (path: string) => boolean,
): Promise<Refreshed['transcripts']> {
  const { place, store } = workspace;
  const { transcripts } = recallSettings(place.root, env);
  if (transcripts.value !== 'on') return { state: transcripts.value };
  const roots = await rootsOf(place, env);
  const progress = (done: number, all: number): void => {
    if (done % PROGRESS_EACH === PROGRESS_EACH - 1)
      say(`read ${done} of ${plural(all, 'session')}`);
  };
  const lock = lockFile(store.home.locks, 'recall', shortHash('refresh'));
  const taken = await whileFree(lock, async () => {
    // For a session that hooks record, their records count.
    takeLateNow(store);
    return takeTranscripts({ workspace, env, roots, ignores, progress });
  });
  return taken === undefined ? { state: 'busy' } : { ...taken, state: 'done' };
}

async function rootsOf({ root, kind }: ProjectPlace, env: AppContext['env']): Promise<string[]> {
  if (kind !== 'git') return [root];
  const trees = await listWorktrees(gitIn(root, env));
  return [...new Set([root, ...trees.map(({ path }) => path)])];
}

/** @returns the number of changed items; 0 if reading is not allowed. */
export async function readMemoryFiles(
  workspace: Workspace,
  env: AppContext['env'],
): Promise<number> {
  const ignores = await ignoredIn(workspace.place, env);
  const { transcripts } = recallSettings(workspace.place.root, env);
  if (ignores === undefined || transcripts.value === 'off') return 0;
  return refreshMemory(workspace, { env, ignores });
}

/** The files about which nothing may be stored; `undefined` if nothing at all may be stored. */
async function ignoredIn({ root }: ProjectPlace, env: AppContext['env']) {
  const { mode, ignores } = await captureOf(root, env);
  const isHome = [env.HOME || homedir(), '/'].includes(root);
  return env.LANEHOLD_RECALL === 'off' || mode === 'off' || isHome ? undefined : ignores;
}

export type IndexResult =
  | ({ readonly state: 'done'; readonly root: string; readonly ms: number } & IndexReport)
  /** Another process does this now. */
  | { readonly state: 'busy'; readonly root: string };

/** @throws {ExplainedError} outside of a repository: without git nobody knows what is ignored. */
export async function indexCode(
  context: AppContext,
  how: 'update' | 'rebuild' = 'update',
): Promise<IndexResult> {
  const { env } = context;
  const workspace = await openProject(context);
  const { root } = indexedTree(workspace.place);
  const { store, projectId, place } = workspace;
  const { ignores } = await captureOf(root, env);
  const git = gitIn(root, env);
  const started = performance.now();
  const hash = shortHash(`index ${place.identity}`);
  const report = await whileFree(lockFile(store.home.locks, 'recall', hash), () => {
    if (how === 'rebuild') {
      // All projects share the indexes: files and commits of others are read again as sessions start there.
      const lost = emptyIfDamaged(store) ? projectStore(store).all() : [{ id: projectId }];
      for (const { id } of lost) forgetIndex(store, id);
    }
    return indexProject({ git, root, store, projectId, ignores }, context.progress);
  });
  if (report === undefined) return { state: 'busy', root };
  await mergeSegments(store);
  return { state: 'done', root, ms: Math.round(performance.now() - started), ...report };
}

/** Drops the words of files and commits; those of notes and turns are made again at once, from what is stored. */
function forgetIndex(store: Store, projectId: number): void {
  const [code, recall] = [codeStore(store), recallStore(store)];
  store.write(() => {
    for (const { path } of code.blobs(projectId)) code.dropFile(projectId, path);
    for (const oid of code.oids(projectId)) code.dropCommit(projectId, oid);
    for (const it of recall.list(projectId)) putItem(recall, it);
  });
  for (const { agent, session } of observationStore(store).sessions(projectId, -1)) {
    const observed = observationStore(store).ofSession(agent, session);
    store.write(() => {
      for (const { id } of observed) recall.dropTurn(id);
      indexTurns(store, observed);
    });
  }
}

/** All worktrees of a project share one index: that of the main one, where there is one. */
function indexedTree({ kind, identity, root }: ProjectPlace): ProjectPlace {
  if (kind !== 'git') {
    throw new ExplainedError('only the files of a git working tree are indexed', {
      hint: kind === 'bare' ? 'use a clone of it' : 'run `git init` first',
    });
  }
  const main = projectPlace(identity.endsWith('.git') ? dirname(identity) : root);
  return main.identity === identity && main.kind === 'git' ? main : projectPlace(root);
}
