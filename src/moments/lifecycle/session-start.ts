/** The start of a session, or its continuation after a compaction: what is held, its lane, and open runs. */
import { projectPlace } from '../../base/git/project.ts';
import { enumerated, plural } from '../../base/text/printable.ts';
import type { Assessed } from '../../features/assess.ts';
import { type Look, lookAt } from '../../features/comparison.ts';
import { pendingSubject } from '../../features/pending.ts';
import { worktreeRegistry } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { StillHeld } from '../../gate/held-pushes.ts';
import { movedHere, movedText } from '../../gate/moved.ts';
import { type LaneMark, laneMark } from '../../lanes/spec/lane-mark.ts';
import type { Store } from '../../store/open.ts';
import { hasOpenRun } from '../../store/projects.ts';
import { proposalStore } from '../../store/proposals.ts';
import { remembersAnything } from '../../store/recall.ts';
import { sessionStore } from '../../store/sessions.ts';
import { activityOf } from './activity.ts';
import { doubtsAt } from './doubted-notes.ts';
import { goneText } from './git-hold.ts';
import {
  type Caller,
  type Handler,
  NO_OPINION,
  orLogged,
  programFor,
  withContext,
} from './handler.ts';
import { workspaceAt } from './workspace-at.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const MOST_LISTED = 3;

export const sessionStart: Handler<'session-start'> = async (event, caller) => {
  const said = [...(await startTexts(event, caller)), await doubtsAt(event, caller)];
  if (event.source !== 'compacted' && caller.env.LANEHOLD_BACKGROUND !== 'off') {
    const { launchRefresh, launchTeamSync } = await import('./launch-refresh.ts');
    const place = projectPlace(event.cwd);
    await launchRefresh(place, caller, 'session');
    caller.afterwards(() => launchTeamSync(place, caller, 'session'));
  }
  return withContext(NO_OPINION, said, '\n\n');
};

export async function startTexts(
  event: Parameters<typeof sessionStart>[0],
  caller: Caller,
): Promise<readonly string[]> {
  const { cwd } = event;
  const { env, looksOnly } = caller;
  const place = projectPlace(cwd);
  const mark = laneMark(env, cwd);
  const workspace = await workspaceAt(place, caller);
  const repository = lookAt(workspace, notingAt(event, caller));
  const { store, projectId } = workspace;
  const remembers = remembersAnything(store, projectId);
  const isInRun = hasOpenRun(store, projectId);
  const assignment = mark && (await assignmentOf(mark, caller));
  const look = assignment === undefined ? await lookAtFeatures(repository, caller) : undefined;
  // Notes near a change need the status.
  const status = remembers && workspace.git ? repository.snapshot.status() : undefined;
  await status?.catch(() => undefined);
  // git is not asked again, because other processes cannot write from here on. The step that reads most files comes
  // first.
  const tellsHooks = mark === undefined && !looksOnly;
  const hooks = tellsHooks ? await hooksText(workspace, event, caller) : undefined;
  const runs = look && isInRun ? await runsText(workspace, event, caller) : undefined;
  const parts = [
    movedNews(workspace, caller),
    assignment ?? (look && featuresText(workspace, event.session, look, caller)),
    await tasksText(workspace, event, caller, { isInRun, isWorker: mark !== undefined }),
    hooks,
    mark === undefined && event.source === 'new' ? proposalsText(workspace, caller) : undefined,
  ].filter((part) => part !== undefined);
  const moment = { ...event, isWorker: mark !== undefined, status };
  const told =
    remembers || env.LANEHOLD_RECALL !== 'off'
      ? await (await import('./recall-start.ts')).recallAtStart(workspace, moment, parts, caller)
      : parts;
  // The handoff of an open run is not shortened, because its lanes continue by it.
  return runs === undefined ? told : [...told, runs];
}

/** The argument that notes the refs of remotes at the start of a session; later its own actions could change them. */
const notingAt = ({ source }: Parameters<typeof sessionStart>[0], { looksOnly }: Caller) =>
  source === 'compacted' || looksOnly ? undefined : 'session-start';

/** The agent's own task list after a compaction; at the start that of another agent, unless a handoff has it. */
async function tasksText(
  { store, projectId }: Workspace,
  { source, session }: Parameters<typeof sessionStart>[0],
  { agent, now }: Caller,
  { isInRun, isWorker }: { readonly isInRun: boolean; readonly isWorker: boolean },
): Promise<string | undefined> {
  if (source !== 'compacted' && (source !== 'new' || isInRun || isWorker)) return undefined;
  const { otherTaskListText, taskListText } = await import('./task-list.ts');
  return source === 'compacted'
    ? taskListText(store, agent, session)
    : otherTaskListText(store, { projectId, agent, now: now() });
}

/** Hooks of any agent that no longer run, except those of this session. */
async function hooksText(
  { place, projectId, store }: Workspace,
  { cwd, session, transcript, source }: Parameters<typeof sessionStart>[0],
  caller: Caller,
): Promise<string | undefined> {
  const { env } = caller;
  if (source !== 'new') {
    const { compareTranscript } = await import('./ran-commands.ts');
    await compareTranscript(session, transcript, caller);
  }
  await orLogged(caller, 'session-start', undefined, async () => {
    const { noteSilentSessions } = await import('../watch/silent-sessions.ts');
    await noteSilentSessions({ env, root: place.root, projectId }, store);
  });
  const { hookNews } = await import('./hook-news.ts');
  return hookNews({ moment: 'session-start', cwd, session }, caller);
}

/** The assignment of a lane's worker, who does not get what is held. */
async function assignmentOf(mark: LaneMark, caller: Caller): Promise<string | undefined> {
  const [{ laneOrNone }, { assignmentText }] = await Promise.all([
    import('./in-lane.ts'),
    import('../../lanes/talk/tell-worker.ts'),
  ]);
  const inside = await laneOrNone(mark, caller);
  return inside && assignmentText(inside);
}

/** Never throws: the agent still has to learn what is held. */
async function runsText(
  { store, projectId }: Workspace,
  event: Pick<Parameters<typeof sessionStart>[0], 'source' | 'session'>,
  caller: Caller,
): Promise<string | undefined> {
  const { agent, env, looksOnly, now } = caller;
  return orLogged(caller, 'session-start', undefined, async () => {
    const [{ openRunsText }, { reconcileLanes }] = await Promise.all([
      import('./open-runs.ts'),
      import('./reconcile-lanes.ts'),
    ]);
    if (!looksOnly) reconcileLanes(store, caller);
    const reader = looksOnly ? { ...event, session: '' } : event;
    return openRunsText({ store, env, now }, projectId, reader, agent);
  });
}

/** What is held of the working tree and of earlier pushes, and whether git's own hook is gone. */
async function lookAtFeatures(repository: Look, caller: Caller) {
  const { features } = await worktreeRegistry(repository);
  if (features.size === 0) return 'no features';
  const { missingGitHook } = await import('./git-hold.ts');
  const missing = missingGitHook(repository.place, caller);
  const [{ assessPending }, { judgedPushes }] = await Promise.all([
    import('../../gate/pending.ts'),
    import('../../gate/held-pushes.ts'),
  ]);
  // Pushes are judged while git looks at the files.
  const [{ held, head, mayLeave }, judged] = await Promise.all([
    assessPending(repository, caller.now()),
    judgedPushes(repository, caller.now()),
  ]);
  const pushes = await pushesText(repository, judged, held, caller);
  return { held: mayLeave ? held : [], head, pushes, gone: await missing };
}

function featuresText(
  workspace: Workspace,
  session: string,
  look: Awaited<ReturnType<typeof lookAtFeatures>>,
  caller: Caller,
): string | undefined {
  if (look === 'no features') return proposal(workspace, caller);
  const { place, projectId, store } = workspace;
  const { agent, env, looksOnly, now } = caller;
  const { held, head, pushes, gone } = look;
  if (!looksOnly) {
    const seen = { agent, id: session, projectId, worktree: place.root, head };
    const sessions = sessionStore(store);
    store.write(() => {
      sessions.seen(seen, now());
      for (const { feature } of held) {
        sessions.firstShowing(session, pendingSubject(projectId, feature.name), now());
      }
    });
    // git has just been asked, which covers earlier activity.
    const activity = activityOf(env, { agent, session });
    if (activity !== undefined) caller.afterwards(activity.forget);
  }
  const parts = [
    held.length === 0 ? undefined : briefing(held, programFor(caller)),
    pushes,
    gone && goneText(gone, caller),
  ];
  return parts.filter((part) => part !== undefined).join('\n') || undefined;
}

/** Earlier pushes of other branches and tags that would still be held. */
async function pushesText(
  repository: Look,
  judged: readonly StillHeld[],
  held: readonly Assessed[],
  caller: Caller,
): Promise<string | undefined> {
  if (judged.length === 0) return undefined;
  const { heldPushes } = await import('../../gate/held-pushes.ts');
  const shown = held.map(({ feature, fingerprint }) => ({ name: feature.name, fingerprint }));
  const pushes = heldPushes(repository, judged, shown);
  if (pushes.length === 0) return undefined;
  const { heldPushText } = await import('../../gate/denial.ts');
  const words = { program: programFor(caller), now: caller.now() };
  const listed = pushes.slice(0, MOST_LISTED).map((it) => `- ${heldPushText(it, words)}`);
  return ['lanehold: held before, and would be still:', ...listed].join('\n');
}

/** The briefing, which has up to six lines. */
function briefing(held: readonly Assessed[], program: string): string {
  // A feature that the change weakens is held by both of its definitions.
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

function listed({ feature, status }: Assessed): string {
  const failed = !status.valid && status.last?.kind === 'failed';
  const commands = feature.smoke.map((test) => test.command);
  const tests = commands.length === 0 ? '' : `: ${enumerated(commands, 1)}`;
  return `- ${feature.name}${failed ? ' (its last verification failed)' : ''}${tests}`;
}

/** The news that the clone was moved, once. */
function movedNews(workspace: Workspace, caller: Caller): string | undefined {
  const { store, projectId, place } = workspace;
  const moved = movedHere(workspace);
  const forEver = Number.MAX_SAFE_INTEGER;
  if (moved === undefined || !isDue(store, projectId, 'moved', forEver, caller)) return undefined;
  const { fact, way } = movedText(moved, place.root);
  return `lanehold: ${fact}. Tell the user: ${way}.`;
}

/** Proposals of `lanehold dream` that wait for a decision, once a day. */
function proposalsText({ store, projectId }: Workspace, caller: Caller): string | undefined {
  const count = proposalStore(store).countWaiting(projectId) ?? 0;
  if (count === 0 || !isDue(store, projectId, 'proposals', DAY_MS, caller)) return undefined;
  return `lanehold: ${plural(count, 'proposal')} for the user to decide: \`${programFor(caller)} dream list\`.`;
}

/** A hint for a project without features, once a week. */
function proposal({ store, place, projectId }: Workspace, caller: Caller): string | undefined {
  if (place.kind !== 'git') return undefined;
  if (!isDue(store, projectId, 'no features', WEEK_MS, caller)) return undefined;
  return `lanehold: this project has no features yet, so no test has to pass; \`${programFor(caller)} feature discover\` proposes some.`;
}

/** Whether a session of the project gets it now; then no other does for that time. */
function isDue(
  store: Store,
  projectId: number,
  subject: string,
  everyMs: number,
  { looksOnly, now }: Caller,
): boolean {
  const sessions = sessionStore(store);
  const due = () => sessions.dueShowing(`project ${projectId}`, subject, everyMs, now());
  return looksOnly === true || store.write(due);
}
