/** Runs: begins, shows, continues, integrates and ends them. */
import { join } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import { sizeOnDisk } from '../../base/files/size-on-disk.ts';
import { type Git, GitError } from '../../base/git/git.ts';
import { isAncestor } from '../../base/git/plumbing.ts';
import type { HeldLock } from '../../base/process/held-lock.ts';
import type { GcItem, GcWish } from '../../lanes/keep/collect.ts';
import { excerpt } from '../../lanes/look/attempt-log.ts';
import { countStates, type Hindered, type LaneCard, readBoard } from '../../lanes/look/board.ts';
import { untrueLines } from '../../lanes/look/check.ts';
import { linesOf } from '../../lanes/look/lines.ts';
import { nextCommands, noteOn } from '../../lanes/look/note.ts';
import type { PullReport } from '../../lanes/pull/open.ts';
import type { PushedTarget } from '../../lanes/pull/push.ts';
import type { LandReport, LandWay } from '../../lanes/queue/land.ts';
import { noteTakenBack } from '../../lanes/queue/taken-back.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import { assertIdle, setRunIntent } from '../../lanes/spec/edit.ts';
import { findLane, findRun } from '../../lanes/spec/names.ts';
import { assertPlace } from '../../lanes/spec/spec.ts';
import { lanesMeant } from '../../lanes/spec/tries.ts';
import { launchPulls } from '../../lanes/start/launch.ts';
import { type ReconcileReport, reconcile } from '../../lanes/start/reconcile.ts';
import { watching } from '../../lanes/talk/notify.ts';
import { gitSettings } from '../../lanes/tree/git-settings.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type Budget, laneStore, type Run, type RunIntent, runStore } from '../../store/lanes.ts';
import { keepReserve } from '../../store/reserve.ts';
import type { AppContext } from '../context.ts';
import { defined } from '../values.ts';
import { type Remainder, untilDone, untilIdle } from './lane-waiting.ts';
import { createRun, type NewRunWish, policyBy, retarget } from './new-run.ts';
import { findRunHere, openLaneProject, openRun, startLanes } from './open-run.ts';
import { dropTeamRefs, followTeam, placeLane, reconcileTeam } from './team-lanes.ts';

export interface RunWish {
  /** Needed if several are open. */
  readonly run?: string | undefined;
}

export async function beginRun(
  context: AppContext,
  {
    parallel,
    attempts,
    runBudget,
    on,
    ...wish
  }: NewRunWish & {
    parallel?: number | undefined;
    attempts?: number | undefined;
    on?: string | undefined;
    runBudget: Budget;
  },
) {
  const { workspace, laneContext } = await openLaneProject(context);
  if (on !== undefined) assertPlace(on);
  const settings = await settingsFor(laneContext, { repository: workspace.place.root });
  const run = await createRun(laneContext, workspace, {
    ...wish,
    policy: {
      ...policyBy(settings),
      ...defined({ parallel, attempts, on }),
      runBudget: { ...settings.runBudget, ...runBudget },
    },
    by: actorOf(context).name,
  });
  // The present settings are the user's; later ones may be a worker's.
  await gitSettings(laneContext, run);
  const args = ['rev-list', '--count', `${run.baseSha}..${run.targetRef}`];
  /** The number of commits of the target that the lanes lack. */
  const ahead = Number(await gitOfRun(laneContext, run).text(args));
  return { run, ahead };
}

/** A board with the words of a table, and facts from git and the disk. */
export type BoardData = Awaited<ReturnType<typeof readRun>>;
export type LaneOnBoard = BoardData['lanes'][number];

export async function runStatus(context: AppContext, wish: RunWish) {
  const { env } = context;
  const { workspace, laneContext } = await openLaneProject(context);
  const { store, projectId } = workspace;
  const last = runStore(store).newest(projectId);
  const open = runStore(store).open(projectId);
  // A worker reads its own run, even one that is over.
  const isNamed = wish.run !== undefined || Boolean(env.LANEHOLD_RUN);
  if (last !== undefined && open.length === 0 && !isNamed) {
    const { name, intent } = last;
    return { kind: 'over', data: { run: null, last: { name, intent } } } as const;
  }
  if (open.length > 1 && !isNamed) {
    return {
      kind: 'several',
      boards: open.map((it) => boardNow(context, laneContext, it)),
    } as const;
  }
  const run = await findRunHere({ workspace }, { name: wish.run, env });
  return { kind: 'board', ...boardNow(context, laneContext, run) } as const;
}

function boardNow(context: AppContext, laneContext: LaneContext, run: Run) {
  let seen: HeldLock | undefined;
  return {
    run: run.name,
    /**
     * A board that stays open calls `look` each time, and `end` at last. Meanwhile a person watches, and is not
     * notified. After the end, another board of the run takes over.
     */
    watched() {
      return {
        look(): void {
          if (actorOf(context).agent === undefined) seen ??= watching(laneContext, run);
        },
        end: (): void => seen?.release(),
      };
    },
    /** Only reads. @param hindered the result of the last `tend`. */
    read: (hindered?: Hindered) => readRun(laneContext, run, hindered),
    /** Starts lanes, and takes over those without a supervisor. @returns lanes that could not start. */
    tend: async () => {
      await noteTakenBack(laneContext, run);
      return (await reconcileTeam(laneContext, run, context.progress)).waiting;
    },
  };
}

/** Only reads. */
export async function readRun(context: LaneContext, of: Run, hindered?: Hindered) {
  const run = runStore(context.store).byId(of.id) ?? of;
  const board = readBoard(context, run, hindered);
  const [untrue, diffOf] = await Promise.all([
    untrueLines(context, run, linesOf(board, new Map()), 'disk'),
    changedLines(gitOfRun(context, run), run, board.lanes),
  ]);
  const lanes = board.lanes.map((lane) => ({
    ...lane,
    note: noteOn(lane, board.at),
    help: nextCommands(board, lane),
    doing: doingOf(lane),
    /** `null` if nothing was changed yet, or git cannot tell. */
    diff: diffOf(lane),
  }));
  return { ...board, states: Object.fromEntries(countStates(board)), lanes, untrue };
}

/** The last tool call or line of a running worker. */
const doingOf = ({ live, state, attempt }: LaneCard): string | null =>
  live && state === 'running' && attempt !== null
    ? (excerpt(join(attempt.dir, 'stdout.log'), 1)[0] ?? null)
    : null;

/** Line counts by the ids of two commits, which never change: boards are read every second. */
const counted = new Map<string, Readonly<Record<'added' | 'removed', number>>>();
const MOST_COUNTED = 5_000;

/** The number of changed lines of each lane: git is started once, and only for new commits. */
async function changedLines(git: Git, run: Run, lanes: readonly LaneCard[]) {
  const rangeOf = ({ tip, baseSha }: LaneCard) => `${tip} ${baseSha ?? run.baseSha}`;
  const changed = lanes.filter((it) => it.tip !== null && it.tip !== (it.baseSha ?? run.baseSha));
  const fresh = new Set(changed.map(rangeOf).filter((it) => !counted.has(it)));
  if (counted.size > MOST_COUNTED) counted.clear();
  if (fresh.size > 0) await countLines(git, run, [...fresh]);
  return (lane: LaneCard) => counted.get(rangeOf(lane)) ?? null;
}

async function countLines(git: Git, run: Run, asked: string[]): Promise<void> {
  const ends = asked.map((it) => it.split(' '));
  const history = [...ends.map(([tip = '']) => tip), ...ends.map(([, base]) => `^${base}`), '--'];
  const list = ['rev-list', '--merges', '--max-count=1', '--ignore-missing', ...history];
  const hasMerges = Boolean((await git.maybe(list, [1, 128]))?.trim());
  const ranges = hasMerges ? await Promise.all(asked.map((it) => ownRange(git, run, it))) : asked;
  const args = ['diff-tree', '--stdin', '--always', '-r', '--numstat', '--no-renames'];
  const exit = await git.attempt(args, `${ranges.join('\n')}\n`).catch((error) => {
    if (error instanceof GitError) return { stdout: '' };
    throw error;
  });
  // Each part begins with its first commit; a missing commit has no part.
  for (const part of exit.stdout.split(/^(?=[0-9a-f]+$)/m)) {
    const at = asked.findIndex((it) => it.startsWith(`${part.split('\n', 1)} `));
    const [range] = asked.splice(0, at + 1).slice(-1);
    // A binary file has no line count.
    const lines = [...part.matchAll(/^(\d+)\t(\d+)\t/gm)];
    const sum = (column: 1 | 2) => lines.reduce((all, it) => all + Number(it[column]), 0);
    if (range !== undefined) counted.set(range, { added: sum(1), removed: sum(2) });
  }
}

/** The range without what the lane has merged of the target, which others have written. */
async function ownRange(git: Git, { targetRef }: Run, range: string): Promise<string> {
  const [tip = '', base = ''] = range.split(' ');
  const shared = (await git.maybe(['merge-base', tip, targetRef], [1, 128]))?.trim();
  if (shared === undefined || shared === tip) return range;
  return (await isAncestor(git, base, shared)) ? `${tip} ${shared}` : range;
}

export async function tendRuns(context: AppContext): Promise<void> {
  const { workspace, laneContext } = await openLaneProject(context);
  const runs = runStore(laneContext.store).open(workspace.projectId);
  for (const run of runs) await noteTakenBack(laneContext, run);
  if (runs.length > 0) await reconcile(laneContext);
}

/** Takes over lanes without a supervisor, and starts lanes. */
export async function syncRun(
  context: AppContext,
  { run: name, wait }: RunWish & { readonly wait: boolean },
) {
  const { laneContext, run } = await openRun(context, name);
  await noteTakenBack(laneContext, run);
  const report = await reconcileTeam(laneContext, run, context.progress);
  const lanes = () => laneStore(laneContext.store).ofRun(run.id);
  const left = wait ? await untilDone(laneContext, run, lanes(), context.progress) : NOTHING_LEFT;
  return { ...report, ...left, lanes: lanes() };
}

/**
 * Exchanges all runs of the project with the team, until no other machine has a lane.
 *
 * @param show shows the team how they stand, at the beginning and when a lane has changed.
 */
export async function followTeamRuns(context: AppContext, show: () => Promise<unknown>) {
  const { workspace, laneContext } = await openLaneProject(context);
  await followTeam(laneContext, workspace.projectId, { tell: context.progress, show });
}

const NOTHING_LEFT: Partial<Remainder & Pick<ReconcileReport, 'waiting'>> = {};

interface SpawnWish extends RunWish {
  readonly keys: readonly string[];
  /** Also every lane that was not started yet. */
  readonly ready: boolean;
  readonly on?: string | undefined;
  readonly wait: boolean;
}

/** Starts workers on lanes; waiting lanes start automatically later. */
export async function spawnLanes(context: AppContext, wish: SpawnWish) {
  const open = await openRun(context, wish.run);
  const { laneContext, run } = open;
  // Tries that were given up for another one stay so.
  const named = wish.keys
    .flatMap((key) => lanesMeant(laneContext.store, run, key))
    .filter(({ key, state }) => wish.keys.includes(key) || state !== 'cancelled');
  const ofRun = () => laneStore(laneContext.store).ofRun(run.id);
  const planned = wish.ready ? ofRun().filter(({ state }) => state === 'planned') : [];
  const lanes = [...new Map([...named, ...planned].map((it) => [it.id, it])).values()];
  for (const lane of named) assertIdle(laneContext, lane);
  if (wish.on !== undefined) for (const lane of lanes) placeLane(laneContext, run, lane, wish.on);
  const { started, waiting } = await startLanes(open, lanes, {
    by: actorOf(context).name,
    tell: context.progress,
  });
  const now = () => lanes.map(({ key }) => findLane(laneContext.store, run, key));
  // With `ready`, lanes that were started earlier are awaited as well.
  const meant = wish.ready ? ofRun() : now();
  const left = wish.wait
    ? await untilDone(laneContext, run, meant, context.progress)
    : NOTHING_LEFT;
  return { started, waiting, ...left, lanes: now() };
}

interface IntentWish extends RunWish {
  readonly intent: RunIntent;
  readonly reason?: string | null | undefined;
}

/** Pauses, continues or cancels a run; returns when its workers have stopped. */
export async function changeRun(
  context: AppContext,
  { run: name, intent, reason = null }: IntentWish,
) {
  const { laneContext, run } = await openRun(context, name);
  const by = actorOf(context).name;
  setRunIntent(laneContext, run, { intent, reason, by });
  await reconcileTeam(laneContext, run, context.progress);
  if (intent !== 'active') {
    const working = laneStore(laneContext.store)
      .ofRun(run.id)
      .filter(({ state }) => intent === 'cancelled' || state !== 'validating');
    const ids = working.map(({ id }) => id);
    await untilIdle(laneContext, ids, context.progress);
  }
  return { run: runStore(laneContext.store).byId(run.id) ?? run };
}

/** Lets the run land on its renamed branch. @throws {UsageError} if it is another branch. */
export async function retargetRun(
  context: AppContext,
  { run: name, target: to }: RunWish & { readonly target: string },
): Promise<void> {
  const { laneContext, run } = await openRun(context, name);
  await retarget(laneContext, run, { to, by: actorOf(context).name });
}

/**
 * Opens pull requests through the gate; they are watched until they are merged or closed.
 *
 * @param wish `key`: a lane; by default everything that is integrated.
 */
export async function openPullRequests(
  context: AppContext,
  { run: name, key: lane, ready }: RunWish & { readonly key?: string; readonly ready: boolean },
): Promise<PullReport> {
  const { laneContext, run } = await openRun(context, name);
  const { openPulls } = await import('../../lanes/pull/open.ts');
  try {
    return await openPulls(laneContext, run, { lane, ready });
  } finally {
    // This includes pull requests that were opened before one was held.
    launchPulls(laneContext);
  }
}

/** @param wish `way`: by default that of `lanes.land`. `ready`: a pull request is no draft. */
export async function landRun(
  context: AppContext,
  wish: RunWish & {
    readonly way: LandWay | 'pr' | undefined;
    readonly ready?: boolean;
    readonly push?: boolean;
  },
): Promise<(LandReport & { readonly pushed?: PushedTarget }) | PullReport> {
  const { laneContext, run, settings } = await openRun(context, wish.run);
  const way = wish.way ?? (await settings()).land;
  if (way === 'pr') {
    return openPullRequests(context, { run: run.name, ready: wish.ready ?? false });
  }
  const { land } = await import('../../lanes/queue/land.ts');
  const landed = await land(laneContext, run, way);
  if (!wish.push || (landed.verdict === 'held' && landed.reason !== 'nothing')) return landed;
  // An earlier landing may have been without a push.
  const last = laneEventStore(laneContext.store).last(run.id, 'run.landed')?.data.to;
  if (typeof last !== 'string') return landed;
  const { pushTarget } = await import('../../lanes/pull/push.ts');
  return { ...landed, pushed: await pushTarget(laneContext, run, last) };
}

/** The size of a ref, and of a removed item. */
const NO_SIZE = { bytes: 0, isWhole: true };

interface GarbageWish extends RunWish, Pick<GcWish, 'refs' | 'mode'> {
  /** The output of attempts that ended earlier is removed. */
  readonly olderThanMs: number;
}

/** Removes worktrees, refs and output of one run, or of every run that is over. */
export async function collectGarbage(
  context: AppContext,
  { run: name, refs, mode, olderThanMs }: GarbageWish,
) {
  const [{ workspace, laneContext }, { collectRun }] = await Promise.all([
    openLaneProject(context),
    import('../../lanes/keep/collect.ts'),
  ]);
  const { store, projectId } = workspace;
  const runs =
    name === undefined
      ? runStore(store).all(projectId)
      : [findRun(store, projectId, { name, env: context.env })];
  const attemptsBefore = new Date(context.now().getTime() - olderThanMs);
  const items: GcItem[] = [];
  for (const run of runs) {
    items.push(...(await collectRun(laneContext, run, { refs, mode, attemptsBefore })));
    const dropped = await dropTeamRefs(laneContext, run, { mode, endedBy: attemptsBefore });
    items.push(...dropped.map((name) => ({ run: run.name, what: 'ref', name }) as const));
  }
  // There may now be space for the reserve.
  if (mode === 'remove') keepReserve(store.home);
  const isKept = ({ why }: GcItem) => why !== undefined;
  const removed = items
    .filter((it) => !isKept(it))
    .map((it) => ({
      ...it,
      ...(mode === 'dry-run' && it.what !== 'ref' ? sizeOnDisk(it.name) : NO_SIZE),
    }));
  return { mode, removed, kept: items.filter(isKept) };
}
