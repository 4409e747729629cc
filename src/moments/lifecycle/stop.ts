/**
 * The end of a turn: notes which features git sees touched, so that edits made by commands count
 * like those made by tools. Fingerprints are not computed here.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../../base/git/git.ts';
import { CHANGED_PATHS, splitNul } from '../../base/git/paths.ts';
import { projectPlace } from '../../base/git/project.ts';
import { readStatus } from '../../base/git/repository-snapshot.ts';
import { affectedFeatures } from '../../features/affected.ts';
import { type Registry, withDependencies } from '../../features/fingerprint.ts';
import { reconcilePending, type Toucher } from '../../features/pending.ts';
import { worktreeRegistry } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import { evidenceStore } from '../../store/evidence.ts';
import { hasOpenRun } from '../../store/projects.ts';
import { sessionStore } from '../../store/sessions.ts';
import { type Activity, activityOf } from './activity.ts';
import { doubtsAt } from './doubted-notes.ts';
import { hookAfterCalls } from './git-hold.ts';
import { type Caller, type Handler, NO_OPINION } from './handler.ts';
import { compareTranscript } from './ran-commands.ts';
import { recordChanged } from './record.ts';
import { workspaceAt } from './workspace-at.ts';

export const stop: Handler<'stop'> = async (event, caller) => {
  const { cwd, session, transcript } = event;
  const place = projectPlace(cwd);
  const activity = activityOf(caller.env, { agent: caller.agent, session });
  if (place.kind === 'git') {
    await hookAfterCalls(event, caller);
    const workspace = await workspaceAt(place, caller);
    if (hasOpenRun(workspace.store, workspace.projectId)) {
      const { reconcileLanes } = await import('./reconcile-lanes.ts');
      reconcileLanes(workspace.store, caller);
    }
    if (activity !== undefined) await notePending(workspace, { ...activity, session }, caller);
  }
  await compareTranscript(session, transcript, caller);
  // Without activity no file can have changed.
  if (activity === undefined) return NO_OPINION;
  await doubtsAt(event, caller);
  caller.afterwards(activity.forget);
  return NO_OPINION;
};

type Turn = Pick<Activity, 'programs'> & { readonly session: string };

async function notePending(
  workspace: Workspace,
  { programs, session }: Turn,
  caller: Caller,
): Promise<void> {
  const { agent, now } = caller;
  const { git, store, projectId, place } = workspace;
  const { features } = await worktreeRegistry(workspace);
  if (features.size === 0 || git === undefined) return;
  const status = await readStatus(git);
  const sessions = sessionStore(store);
  const uncommitted = status.changes.map(({ path }) => path);
  // A commit that the upstream branch has is no longer pending.
  const committed = status.isPushed
    ? []
    : await committedSince(git, sessions.lastHead(agent, session, place.root), status.head);
  // git is not asked again, because other processes cannot write from here on.
  await recordChanged(place, uncommitted, session, caller);
  const changed = [...uncommitted, ...committed];
  const affected = affectedFeatures(features, changed).features;
  const held = new Map(
    [...affected].flatMap(([feature, path]) => {
      const touched = { feature, path, changed };
      const younger = changedSinceVerified(workspace, features, touched, now());
      return younger === undefined ? [] : [[feature, younger] as const];
    }),
  );
  const isSettled = (feature: string): boolean => status.isPushed && !affected.has(feature);
  const command = programs.join(', ');
  const by: Toucher | undefined =
    command === '' ? undefined : { cause: 'command', command, agent, session };
  reconcilePending(workspace, { held, isSettled }, now(), by);
  const seen = { agent, id: session, projectId, worktree: place.root, head: status.head };
  store.write(() => sessions.seen(seen, now()));
}

/** The files of commits since then; empty if the commit is gone, as after a rewritten branch was pruned. */
async function committedSince(
  git: Git | undefined,
  lastHead: string | undefined,
  head: string | undefined,
): Promise<readonly string[]> {
  if (lastHead === undefined || head === undefined || head === lastHead) return [];
  const paths = await git?.maybe([...CHANGED_PATHS, lastHead, head], [128]);
  return paths === undefined ? [] : splitNul(paths);
}

/**
 * The changed file that makes a feature pending; `undefined` if all of them are older than its evidence. It compares
 * the times of files, without git; an unneeded note is dropped when git is next asked.
 */
function changedSinceVerified(
  { store, projectId, place }: Workspace,
  registry: Registry,
  { feature, path, changed }: { feature: string; path: string; changed: readonly string[] },
  now: Date,
): string | undefined {
  const [last] = evidenceStore(store).ofFeature(projectId, feature, 1);
  const expired = last?.expiresAt !== null && last !== undefined && last.expiresAt <= now;
  if (last === undefined || last.kind === 'failed' || expired) return path;
  const younger = changed.filter((it) => {
    const stats = statSync(join(place.root, it), { throwIfNoEntry: false });
    return stats === undefined || stats.ctimeMs > last.at.getTime();
  });
  const parts = new Map(withDependencies(feature, registry).map((it) => [it.name, it]));
  return affectedFeatures(parts, younger).features.get(feature);
}
