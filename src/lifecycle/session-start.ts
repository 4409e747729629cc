/** A session begins, or goes on after a compaction: says what is held, and nothing if nothing is. */
import type { Assessed } from '../features/assess.ts';
import { registryText, worktreeRegistry } from '../features/registry.ts';
import { REGISTRY_FILE } from '../features/registry-name.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import { gitIn } from '../project/git.ts';
import { projectPlace } from '../project/identity.ts';
import { lookAtWorktree } from '../project/look.ts';
import { sessionStore } from '../store/sessions.ts';
import { enumerated } from '../text/count.ts';
import { type Caller, type Handler, NO_OPINION } from './handler.ts';
import { programName } from './program-name.ts';

const WEEK_MS = 7 * 86_400_000;
const MOST_LISTED = 3;

export const sessionStart: Handler<'session-start'> = async ({ cwd, session }, caller) => {
  const { agent, env, now, store } = caller;
  const place = projectPlace(cwd);
  // git is at work while the database is opened; for nothing only where features are private.
  const begun =
    place.kind === 'git' && registryText(place) !== undefined
      ? lookAtWorktree(gitIn(place.root, env), REGISTRY_FILE)
      : undefined;
  const workspace = workspaceOn(await store(), place, env, now);
  const { projectId } = workspace;
  const sessions = sessionStore(workspace.store);
  const { features } = await worktreeRegistry(workspace);
  if (features.size === 0) return proposal(workspace, caller);
  const { assessPending } = await import('../gate/pending.ts');
  const { held, head } = await assessPending(workspace, now(), begun);
  const seen = { agent, id: session, projectId, worktree: place.root, head };
  workspace.store.write(() => sessions.seen(seen, now()));
  if (held.length === 0) return NO_OPINION;
  return { decision: 'none', context: briefing(held, programName(env)) };
};

/** Six lines at most. */
function briefing(held: readonly Assessed[], program: string): string {
  // What the change weakens is held twice: as the feature is, and as it was before.
  const features = held.filter(
    (it, index) => held.findIndex(({ feature }) => feature.name === it.feature.name) === index,
  );
  const more = features.slice(MOST_LISTED).map(({ feature }) => feature.name);
  const are = features.length === 1 ? 'feature is' : 'features are';
  return [
    `lanehold: ${features.length} ${are} changed and not verified; a push or publish will be held.`,
    ...features.slice(0, MOST_LISTED).map(listed),
    ...(more.length === 0 ? [] : [`- and ${more.length} more: ${enumerated(more, 8)}`]),
    `Before you push: ${program} feature verify --pending`,
  ].join('\n');
}

function listed({ feature, standing }: Assessed): string {
  const failed = !standing.valid && standing.last?.kind === 'failed';
  const commands = feature.smoke.map((test) => test.command);
  const tests = commands.length === 0 ? '' : `: ${enumerated(commands, 1)}`;
  return `- ${feature.name}${failed ? ' (its last verification failed)' : ''}${tests}`;
}

/** A project without features is told so once a week, wherever in it the session starts. */
function proposal(
  { store, place, projectId }: Workspace,
  { now, env }: Caller,
): ReturnType<typeof sessionStart> {
  if (place.kind !== 'git') return Promise.resolve(NO_OPINION);
  const sessions = sessionStore(store);
  const due = store.write(() =>
    sessions.dueShowing(`project ${projectId}`, 'no features', WEEK_MS, now()),
  );
  if (!due) return Promise.resolve(NO_OPINION);
  const context = `lanehold: this project has no features yet, so nothing is held; \`${programName(env)} feature discover\` proposes some.`;
  return Promise.resolve({ decision: 'none', context });
}
