/** Reads what agents themselves have recorded, what they keep as memory, and the project's files and commits. */
import { homedir } from 'node:os';
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import { gitIn } from '../../base/git/git.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { shortHash, whileFree } from '../../base/process/with-lock.ts';
import { plural } from '../../base/text/count.ts';
import type { Workspace } from '../../features/workspace.ts';
import { locksOf } from '../../lanes/spec/paths.ts';
import { foldSpool } from '../../recall/fold.ts';
import { type TranscriptsTaken, takeTranscripts } from '../../recall/transcripts.ts';
import { type AppContext, openProject } from '../context.ts';
import { type IndexResult, indexCode } from './code-index.ts';
import { readMemoryFiles } from './memory-files.ts';

export interface Refreshed {
  readonly transcripts:
    | ({ readonly state: 'done' } & TranscriptsTaken)
    /** `ask`: the user has not said whether they may be read. */
    | { readonly state: 'ask' | 'off' | 'busy' };
  /** Items from files in which agents keep what they remember that changed, or are gone. */
  readonly memory: number;
  /** The index over files and commits; absent without git. */
  readonly code?: IndexResult;
}

/** A line for a person at most so often. */
const PROGRESS_MS = 1_000;

export async function refreshRecall(context: AppContext): Promise<Refreshed> {
  const { env } = context;
  const workspace = await openProject(context);
  const { place } = workspace;
  const { mode, ignores } = await captureOf(place.root, env);
  const isHome = [env.HOME ?? homedir(), '/'].includes(place.root);
  if (env.LANEHOLD_RECALL === 'off' || mode === 'off' || isHome) {
    return { transcripts: { state: 'off' }, memory: 0 };
  }
  const memory = await readMemoryFiles(workspace, env);
  const transcripts = await readSessions(context, workspace, ignores);
  if (place.kind !== 'git') return { transcripts, memory };
  return { transcripts, memory, code: await indexCode(context) };
}

async function readSessions(
  { env, now, progress: say }: AppContext,
  workspace: Workspace,
  ignores: (path: string) => boolean,
): Promise<Refreshed['transcripts']> {
  const { place, store } = workspace;
  const { transcripts } = recallSettings(place.root, env);
  if (transcripts.value !== 'on') return { state: transcripts.value };
  const roots = await rootsOf(place, env);
  let told = performance.now();
  const progress = (done: number, all: number): void => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    say(`read ${done} of ${plural(all, 'session')}`);
  };
  const taken = await whileFree(locksOf(store.home), 'recall', shortHash('refresh'), async () => {
    // A session that hooks record is theirs.
    foldSpool(store, now());
    return takeTranscripts({ workspace, env, roots, ignores, progress });
  });
  return taken === undefined ? { state: 'busy' } : { ...taken, state: 'done' };
}

/** The roots of all working trees of the project. */
async function rootsOf({ root, kind }: ProjectPlace, env: AppContext['env']): Promise<string[]> {
  if (kind !== 'git') return [root];
  const trees = await listWorktrees(gitIn(root, env));
  return [...new Set([root, ...trees.map(({ path }) => path)])];
}
