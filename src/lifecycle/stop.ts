/** The end of a turn: notes what git says is pending, so that edits made by commands count too. */
import { worktreeRegistry } from '../features/registry.ts';
import { workspaceOn } from '../features/workspace.ts';
import { assessPending } from '../gate/pending.ts';
import { projectPlace } from '../project/identity.ts';
import { pendingStore } from '../store/pending.ts';
import { sessionStore } from '../store/sessions.ts';
import { type Handler, NO_OPINION } from './handler.ts';

export const stop: Handler<'stop'> = async ({ cwd, session }, { agent, env, now, store }) => {
  const place = projectPlace(cwd);
  const workspace = workspaceOn(await store(), place, env, now);
  const { projectId } = workspace;
  const { features } = await worktreeRegistry(workspace);
  if (features.size === 0) return NO_OPINION;

  const { held } = await assessPending(workspace, now());
  const pending = pendingStore(workspace.store);
  const sessions = sessionStore(workspace.store);
  workspace.store.write(() => {
    const noted = new Set(pending.all(projectId, place.root).map((note) => note.feature));
    for (const { feature, entries } of held) {
      if (noted.delete(feature.name)) continue;
      const path = entries[0]?.path ?? '';
      pending.touch(
        { projectId, worktree: place.root, feature: feature.name, session, path },
        now(),
      );
    }
    for (const settled of noted) pending.settle(projectId, place.root, settled);
    sessions.seen({ agent, id: session, projectId, worktree: place.root }, now());
  });
  return NO_OPINION;
};
