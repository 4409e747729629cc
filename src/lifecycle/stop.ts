/**
 * The end of a turn: notes which features git sees touched, so that edits made by commands count
 * like those made by tools. Whether their content is verified is not asked here: that is computed
 * wherever it matters.
 */
import { affectedFeatures } from '../features/affected.ts';
import { registryText, worktreeRegistry } from '../features/registry.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import { type Git, gitIn } from '../git/git.ts';
import { changedBetween } from '../git/paths.ts';
import { projectPlace } from '../git/project.ts';
import { readStatus, type Status } from '../git/status.ts';
import { hasOpenRun } from '../store/open-runs.ts';
import { pendingStore } from '../store/pending.ts';
import { sessionStore } from '../store/sessions.ts';
import { type Handler, NO_OPINION } from './handler.ts';

export const stop: Handler<'stop'> = async ({ cwd, session }, caller) => {
  const { agent, env, now, store } = caller;
  const place = projectPlace(cwd);
  if (place.kind !== 'git') return NO_OPINION;
  const look = () => readStatus(gitIn(place.root, env));
  // git takes longest: it runs while the store is opened, if there is surely something to look for.
  const begun = registryText(place) === undefined ? undefined : look();
  begun?.catch(() => undefined);
  const workspace = workspaceOn(await store(), place, env, now);
  if (hasOpenRun(workspace.store, workspace.projectId)) {
    const { tickLanes } = await import('./tick-lanes.ts');
    await tickLanes(workspace.store, caller);
  }
  const { features } = await worktreeRegistry(workspace);
  if (features.size === 0) return NO_OPINION;

  const sessions = sessionStore(workspace.store);
  const status = await (begun ?? look());
  const changed = await changedPaths(
    workspace,
    status,
    sessions.lastHead(agent, session, place.root),
  );
  const { names } = affectedFeatures(features, changed);
  const { projectId } = workspace;
  const pending = pendingStore(workspace.store);
  workspace.store.write(() => {
    const noted = new Set(pending.all(projectId, place.root).map((note) => note.feature));
    for (const feature of names.filter((name) => !noted.has(name))) {
      const path = changed[0] ?? '';
      pending.touch({ projectId, worktree: place.root, feature, session, path }, now());
    }
    const { head } = status;
    sessions.seen({ agent, id: session, projectId, worktree: place.root, head }, now());
  });
  return NO_OPINION;
};

/** What is not committed, and what has been committed since the session was last looked at. */
async function changedPaths(
  { git }: Workspace,
  { head, changes }: Status,
  lastHead: string | undefined,
): Promise<string[]> {
  const uncommitted = changes.map((change) => change.path);
  if (git === undefined || head === undefined || lastHead === undefined || head === lastHead) {
    return uncommitted;
  }
  return [...(await committedSince(git, lastHead, head)), ...uncommitted];
}

/** A commit that is gone (a rewritten branch, pruned since) leaves nothing to compare with. */
async function committedSince(git: Git, lastHead: string, head: string): Promise<string[]> {
  const known = await git.maybe(['cat-file', '-e', `${lastHead}^{commit}`], [1, 128]);
  return known === undefined ? [] : changedBetween(git, lastHead, head);
}
