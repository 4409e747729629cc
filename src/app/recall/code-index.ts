/** The index over a project's files and commits. */
import { dirname } from 'node:path';
import { captureOf } from '../../base/config/capture.ts';
import { ExplainedError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import { shortHash, whileFree } from '../../base/process/with-lock.ts';
import { locksOf } from '../../lanes/spec/paths.ts';
import { type IndexReport, indexProject } from '../../recall/code/index-project.ts';
import { type AppContext, openProject } from '../context.ts';

export type IndexResult =
  | ({ readonly state: 'done'; readonly root: string; readonly ms: number } & IndexReport)
  /** Another process is at it. */
  | { readonly state: 'busy'; readonly root: string };

/** git reads whole histories here. */
const GIT_TIMEOUT_MS = 120_000;

/** @throws {ExplainedError} outside of a repository: without git nobody knows what is ignored. */
export async function indexCode(context: AppContext): Promise<IndexResult> {
  const { env } = context;
  const workspace = await openProject(context);
  const { root } = indexedTree(workspace.place);
  const { store, projectId, place } = workspace;
  const { ignores } = await captureOf(root, env);
  const git = gitIn(root, env, { timeoutMs: GIT_TIMEOUT_MS });
  const started = performance.now();
  const lock = shortHash(`index ${place.identity}`);
  const report = await whileFree(locksOf(store.home), 'recall', lock, () =>
    indexProject({ git, root, store, projectId, ignores }, context.progress),
  );
  if (report === undefined) return { state: 'busy', root };
  return { state: 'done', root, ms: Math.round(performance.now() - started), ...report };
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
