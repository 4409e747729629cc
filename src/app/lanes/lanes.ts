/** Lanes of a run: adds, changes, restarts and shows them. */
import { actorOf } from '../../agents/actor.ts';
import { AGENTS } from '../../agents/registry.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { attemptLog, excerptOf } from '../../lanes/look/attempt-log.ts';
import { findWorker, routeAgent } from '../../lanes/settings/registry.ts';
import type { LaneSettings } from '../../lanes/settings/settings.ts';
import {
  addLanes,
  assertIdle,
  blockLane,
  cancelLane,
  editLane,
  type NewLane,
  retryAccountNow,
  wantLanes,
} from '../../lanes/spec/edit.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { assertName, findLane } from '../../lanes/spec/names.ts';
import { lastOfBase } from '../../lanes/spec/outcomes.ts';
import { assertSpec, clashingWith } from '../../lanes/spec/spec.ts';
import { withNeeds } from '../../lanes/stand/dependencies.ts';
import { launchBaseline } from '../../lanes/start/launch.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { keepLogin } from '../../lanes/start/worker.ts';
import { assertUnfinished, tellWorker } from '../../lanes/talk/say.ts';
import { copiedPackages, SETUP_HINT, setupObstacles } from '../../lanes/tree/setup.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { type LaneSpec, type LaneView, laneStore } from '../../store/lanes.ts';
import type { AppContext } from '../context.ts';
import { defined } from '../values.ts';
import { branchWork } from './branch-work.ts';
import { type Remainder, untilDone, untilIdle } from './lane-waiting.ts';
import { type OpenRun, openRun, startLanes } from './open-run.ts';
import type { RunWish } from './runs.ts';
import { placeLane, reconcileTeam } from './team-lanes.ts';

export interface LaneWish extends RunWish {
  readonly key: string;
}

/** The fields of a lane to set; missing ones stay, or get their default. */
export interface SpecWish extends LaneWish {
  readonly spec: Partial<LaneSpec>;
  readonly priority?: number | undefined;
}

export function newSpec(settings: LaneSettings, wish: Partial<LaneSpec>): LaneSpec {
  return {
    desc: '',
    notes: '',
    touches: [],
    reads: [],
    needs: [],
    agent: settings.agent,
    ...(settings.validate === undefined ? {} : { validate: settings.validate }),
    validateCwd: '',
    validateTimeoutS: 1_800,
    timeoutS: Math.ceil(settings.timeoutMs / 1000),
    budget: {},
    ports: settings.ports,
    overlaps: 'never',
    removesTests: 'no',
    ...wish,
  };
}

/** The texts of a template, for this lane. @throws {UsageError} if there is none of this name. */
function fromTemplate({ templates }: LaneSettings, name: string, key: string): Partial<LaneSpec> {
  const template = templates.get(name);
  if (template === undefined) {
    const names = [...templates.keys()];
    throw new UsageError(`there is no template \`${name}\``, {
      hint:
        names.length === 0
          ? 'write it into `lanes.templates` of lanehold.json, or of your own settings'
          : `there are: ${names.join(', ')}`,
    });
  }
  const filled = (text: string) => text.replaceAll('{lane}', key);
  const values = Object.entries(defined(template)).map(([field, value]) => [
    field,
    typeof value === 'string' ? filled(value) : value.map(filled),
  ]);
  return Object.fromEntries(values);
}

/**
 * The checked spec of a new lane.
 *
 * @param template fills the fields that the wish leaves out.
 * @throws {UsageError}
 */
export async function specFor(
  context: AppContext,
  { settings: read, run }: OpenRun,
  wish: Partial<LaneSpec>,
  template?: { readonly name: string; readonly key: string },
): Promise<LaneSpec> {
  const settings = await read();
  const base = template ? fromTemplate(settings, template.name, template.key) : {};
  const spec = newSpec(settings, { ...defined({ on: run.policy.on }), ...base, ...wish });
  assertSpec(spec);
  const agent = routeAgent(spec.agent, actorOf(context).agent, settings, context.env).name;
  return { ...spec, agent };
}

/** The spec of a lane for existing work, which needs no installed agent. */
function specOfWork(context: AppContext, settings: LaneSettings, wish: Partial<LaneSpec>) {
  const spec = newSpec(settings, wish);
  const current = actorOf(context).agent ?? AGENTS[0]?.name ?? 'unknown';
  return { ...spec, agent: spec.agent === 'current' ? current : spec.agent };
}

export interface NewLaneWish extends SpecWish {
  readonly start: boolean;
  readonly template?: string | undefined;
  /** A branch with the work, or its beginning. */
  readonly branch?: string | undefined;
  /** A worktree with the work. */
  readonly adopted?: NewLane['existing'];
  readonly tries?: TriesWish | undefined;
}

export interface TriesWish {
  readonly count: number;
  /** The agents of the tries, in turn; if empty, each gets the lane's own agent. */
  readonly agents: readonly string[];
  readonly picks: NonNullable<LaneSpec['tries']>['picks'];
}

export async function createLane(context: AppContext, wish: NewLaneWish) {
  const open = await openRun(context, wish.run);
  const { laneContext, run } = open;
  const settings = await open.settings();
  const by = actorOf(context).name;
  const { key, priority = 0, branch, adopted } = wish;
  const template = wish.template === undefined ? undefined : { name: wish.template, key };
  const taken = branch === undefined ? undefined : await branchWork(laneContext, run, branch);
  const existing = taken ?? adopted;
  const wishes: NewLane[] = [];
  for (const each of eachTry(wish)) {
    assertName('lane', each.key);
    const spec = existing
      ? specOfWork(context, settings, { ...taken?.spec, ...each.spec })
      : await specFor(context, open, each.spec, template);
    wishes.push({ key: each.key, spec, priority, by, existing });
  }
  const lanes = addLanes(laneContext, run, wishes);
  const [lane] = lanes as [LaneView];
  await startBaselines(open, lanes);
  if (wish.start) await startLanes(open, lanes, { by, tell: context.progress });
  const obstacles = await setupObstacles(laneContext, run, settings, lane.spec);
  const setup = obstacles.length === 0 ? {} : { obstacles, hint: SETUP_HINT };
  const isFirst = laneStore(laneContext.store).ofRun(run.id).length === lanes.length;
  const copied = isFirst ? await copiedPackages(laneContext, run, settings) : undefined;
  const tries = wish.tries === undefined ? {} : { lanes };
  const before = new Set(
    [...lanes, ...withNeeds(laneContext.store, run, [lane])].map(({ id }) => id),
  );
  const others = laneStore(laneContext.store)
    .ofRun(run.id)
    .filter(({ id, state }) => !is('over', state) && !before.has(id));
  return {
    lane,
    overlaps: clashingWith(lane, others),
    ...tries,
    ...setup,
    ...defined({ copied }),
    uncommittedIn: taken?.uncommittedIn,
  };
}

function eachTry({ key, spec, tries }: NewLaneWish): Pick<SpecWish, 'key' | 'spec'>[] {
  if (tries === undefined) return [{ key, spec }];
  const { count, agents, picks } = tries;
  return Array.from({ length: count }, (_, at) => {
    const agent = agents[at % agents.length] ?? spec.agent;
    const own = { ...spec, ...defined({ agent }), tries: { of: key, picks } };
    return { key: `${key}.${at + 1}`, spec: own };
  });
}

/** Validates the base in the background, so that a board can show a validation that proves nothing. */
export async function startBaselines(
  { laneContext, run, settings }: OpenRun,
  lanes: readonly LaneView[],
): Promise<void> {
  const { baseline } = await settings();
  if (baseline === 'when-needed') return;
  const commands = new Map(lanes.map((lane) => [lane.cmdHash, lane]));
  for (const lane of commands.values()) {
    if (!lastOfBase(laneContext.store, run, lane)) launchBaseline(laneContext, lane.id);
  }
}

export async function changeLane(context: AppContext, wish: SpecWish) {
  const open = await openRun(context, wish.run);
  const lane = await edited(context, open, wish);
  await startBaselines(open, [lane]);
  return { lane };
}

async function edited(
  context: AppContext,
  { laneContext, run, settings: read }: OpenRun,
  { key, spec: wish, priority }: SpecWish,
): Promise<LaneView> {
  const { spec: before } = findLane(laneContext.store, run, key);
  const actor = actorOf(context);
  const agent =
    wish.agent === undefined
      ? before.agent
      : routeAgent(wish.agent, actor.agent, await read(), context.env).name;
  const budget = { ...before.budget, ...wish.budget };
  return editLane(laneContext, run, key, {
    spec: { ...before, ...wish, budget, agent },
    ...(priority === undefined ? {} : { priority }),
    by: actor.name,
    type: 'lane.edited',
  });
}

/** Returns when its worker has stopped. @param wish `reason`: why it is blocked; `null`: no longer. */
export async function holdLaneBack(
  context: AppContext,
  wish: LaneWish & { readonly reason: string | null },
) {
  const { laneContext, run, lane, again } = await openLane(context, wish);
  blockLane(laneContext, lane, wish.reason, actorOf(context).name);
  await reconcileTeam(laneContext, run, context.progress);
  // A validation continues.
  const stops = wish.reason !== null && lane.state !== 'validating';
  if (stops) await untilIdle(laneContext, [lane.id], context.progress);
  return { lane: again() };
}

/** Ends the work on a lane for good; returns when its worker has stopped. */
export async function endLane(context: AppContext, wish: LaneWish) {
  const { laneContext, run, lane, again } = await openLane(context, wish);
  cancelLane(laneContext, lane, actorOf(context).name);
  // If the supervisor has died, another one has to be started to see this.
  await reconcileTeam(laneContext, run, context.progress);
  await untilIdle(laneContext, [lane.id], context.progress);
  return { lane: again() };
}

/**
 * Stops the lane's worker, and blocks the lane until the block is cleared. The result is the command that continues the
 * agent's own session by hand.
 *
 * @throws {ExplainedError} if there is no session that can be resumed.
 */
export async function takeOverLane(context: AppContext, wish: LaneWish) {
  const { laneContext, lane, again, settings: read } = await openLane(context, wish);
  const works = () =>
    attemptStore(laneContext.store)
      .ofLane(lane.id)
      .filter(({ kind }) => kind !== 'validate');
  const settings = await read();
  const agent = works().at(-1)?.agent ?? undefined;
  const worker = agent === undefined ? undefined : findWorker(agent, settings);
  const sessionOf = () => works().findLast((it) => it.agent === agent && it.sessionId)?.sessionId;
  const isLiveNow = works().some(isLive);
  if (!worker?.adapter.attach || !(isLiveNow || sessionOf())) throw noSession(lane.key);
  const by = actorOf(context).name;
  blockLane(laneContext, lane, `${by} works in it`, by);
  await reconcile(laneContext);
  await untilIdle(laneContext, [lane.id], context.progress);
  // A worker reports its session while it runs, or at its end.
  const session = sessionOf();
  const { worktree } = again();
  if (!session || worktree === null) throw noSession(lane.key);
  const program = worker.settings.program ?? worker.adapter.program;
  return { program, args: worker.adapter.attach(session), worktree };
}

function noSession(lane: string): ExplainedError {
  return new ExplainedError(`lane ${lane} has no session that can be taken over`, {
    code: 'NO_SESSION',
    hint: `work in its tree instead: cd "$(lanehold orchestrate lane open ${lane})"`,
  });
}

export interface RetriedLane extends Partial<Remainder> {
  readonly lane: LaneView;
  readonly waiting: string | null;
}

interface RetryWish extends LaneWish {
  readonly agent?: string | undefined;
  /** A message for the worker of the new attempt. */
  readonly notes?: string | undefined;
  /** The place for this and later attempts, as `--on` names it. */
  readonly on?: string | undefined;
  readonly wait: boolean;
}

/** Starts work on a lane again, from its last state. */
export async function retryLane(context: AppContext, wish: RetryWish): Promise<RetriedLane> {
  const { key, agent } = wish;
  const open = await openRun(context, wish.run);
  const { laneContext, run } = open;
  const lane = () => findLane(laneContext.store, run, key);
  assertIdle(laneContext, lane());
  assertUnfinished(lane());
  if (agent !== undefined) await edited(context, open, { key, spec: { agent } });
  if (wish.on !== undefined) placeLane(laneContext, run, lane(), wish.on);
  const by = actorOf(context).name;
  if (wish.notes !== undefined) tellWorker(laneContext, lane(), { text: wish.notes, by });
  await keepLogin(laneContext, run, lane(), await open.settings());
  wantLanes(laneContext, run, [lane()], by);
  const started = await reconcileTeam(laneContext, run, context.progress);
  const awaited = wish.wait
    ? await untilDone(laneContext, run, [lane()], context.progress)
    : undefined;
  const { waiting, ...left } = awaited ?? { waiting: started.waiting };
  return { lane: lane(), waiting: waiting[key] ?? null, ...left };
}

/** Starts a parked lane before the time that its account gave. */
export async function resumeLane(context: AppContext, wish: RetryWish): Promise<RetriedLane> {
  const { laneContext, lane } = await openLane(context, wish);
  if (wish.agent === undefined) retryAccountNow(laneContext, lane, actorOf(context).name);
  return retryLane(context, wish);
}

export type LaneLog = Awaited<ReturnType<typeof laneLog>>;

/** @param wish `attempt`: a number; by default the last one. */
export async function laneLog(
  context: AppContext,
  wish: LaneWish & { readonly attempt?: number | undefined },
) {
  const { laneContext, run, lane } = await openLane(context, wish);
  const log = attemptLog(laneContext, run, lane, wish.attempt);
  return {
    log,
    excerpt() {
      const { attempt, stdout, stderr, validations } = log;
      const files = { stdout, stderr };
      const said = laneReportStore(laneContext.store).ofLane(lane.id);
      const messages = said
        .filter(({ toWorker }) => toWorker)
        .map(({ id, body, by, at, toldAt }) => ({ id, body, by, at, deliveredAt: toldAt }));
      const questions = said
        .filter(({ kind, answeredAt }) => kind === 'ask' && answeredAt === null)
        .map(({ id, body, by, at, seq: number }) => ({ id, number, body, by, at }));
      const facts = { lane: wish.key, attempt, files, validations, messages, questions };
      return { ...facts, ...excerptOf(log) };
    },
    /** The present attempt, and whether it may still print something. */
    now() {
      const attempt = attemptStore(laneContext.store).byId(log.attempt?.id ?? '');
      return { attempt: attempt ?? log.attempt, live: attempt !== undefined && isLive(attempt) };
    },
  };
}

export async function openLane(context: AppContext, { run: name, key }: LaneWish) {
  const open = await openRun(context, name);
  const again = () => findLane(open.laneContext.store, open.run, key);
  return { ...open, lane: again(), again };
}
