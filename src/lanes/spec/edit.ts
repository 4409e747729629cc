/** Changes runs, adds lanes, changes specs (earlier revisions are kept), and records integrations. */
import { join } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { linkOnTheWay } from '../../base/files/inside.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { breakerStore } from '../../store/breakers.ts';
import { newId } from '../../store/ids.ts';
import {
  type Integration,
  type IntegrationNote,
  type IntegrationState,
  integrationStore,
} from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import {
  type Lane,
  type LaneSpec,
  type LaneView,
  laneStore,
  type Run,
  type RunIntent,
  runStore,
} from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import { pullRequestStore } from '../../store/pull-requests.ts';
import { addLaneEvent, type LaneContext } from './context.ts';
import { is, stateClause } from './lane-states.ts';
import { assertName, findLane } from './names.ts';
import { assertSpec, derived } from './spec.ts';

/**
 * Changes the intent of a run. Supervisors see it and stop their workers, or the reconcile starts lanes again.
 *
 * @throws {ExplainedError} if the run is over: it can be neither paused nor cancelled.
 */
export function setRunIntent(
  context: LaneContext,
  run: Run,
  change: { readonly intent: RunIntent; readonly reason: string | null; readonly by: string },
): void {
  const { intent, reason, by } = change;
  const isOver = run.intent === 'closed' || run.intent === 'cancelled';
  if (isOver && (intent === 'paused' || intent === 'cancelled')) {
    throw new ExplainedError(`run ${run.name} is ${run.intent} already`, {
      hint: 'see `lanehold orchestrate status` for the one that is open',
    });
  }
  const type = `run.${intent === 'active' ? 'resumed' : intent}`;
  context.store.write(() => {
    runStore(context.store).setIntent(run.id, intent, reason);
    const changed = { runId: run.id, type, data: { reason }, by };
    laneEventStore(context.store).add(changed, context.now());
    if (intent !== 'cancelled') return;
    const lanes = laneStore(context.store);
    for (const lane of lanes.ofRun(run.id)) {
      if (lane.state !== 'landed') lanes.setIntent(lane.id, 'cancelled');
    }
  });
}

export const leftOf = ({ store }: LaneContext, { id }: Run): LaneView[] =>
  laneStore(store)
    .ofRun(id)
    .filter(({ state }) => state !== 'landed' && state !== 'cancelled');

/** Closes a run without open pull requests. @returns whether it was closed. */
export function closeIfDone(context: LaneContext, run: Run, by: string): boolean {
  const isOpen = run.intent === 'active' || run.intent === 'paused';
  const waits = pullRequestStore(context.store).openOf(run.id).length > 0;
  if (!isOpen || waits || leftOf(context, run).length > 0) return false;
  setRunIntent(context, run, { intent: 'closed', reason: 'all lanes have landed', by });
  return true;
}

/** Notes a move and its event, unless another process has queued the row again. */
export function move(
  context: LaneContext,
  row: Integration,
  state: IntegrationState,
  note: Omit<IntegrationNote, 'state'>,
  data: Readonly<Record<string, unknown>>,
  by?: string,
): void {
  const { store } = context;
  store.write(() => {
    if (integrationStore(store).note(row, { ...note, state }))
      noteMove(context, row, state, data, by);
  });
}

/** Call it in a transaction. */
export function noteMove(
  context: LaneContext,
  { laneId: id, runId }: Integration,
  state: IntegrationState,
  data: Readonly<Record<string, unknown>>,
  by = actorOf(context).name,
): void {
  const event = { type: `integration.${state}`, data, by };
  addLaneEvent(context, { id, runId }, event);
}

export interface NewLane extends Pick<Lane, 'key' | 'spec' | 'priority'> {
  /** By default a new one. */
  readonly id?: string;
  readonly by: string;
  /** Existing work; the lane is adopted if it has a worktree. */
  readonly existing?:
    | (Readonly<Record<'baseSha', string>> &
        Readonly<Partial<Record<'headSha' | 'worktree' | 'branch', string>>>)
    | undefined;
}

/**
 * Adds lanes, all or none; they may need each other.
 *
 * @throws {UsageError} if a key is taken, a needed lane is missing, or the needs form a circle.
 */
export function addLanes(context: LaneContext, run: Run, wishes: readonly NewLane[]): LaneView[] {
  assertOpen(run);
  for (const { key, spec } of wishes) {
    assertName('lane', key);
    assertFits(spec, run);
  }
  return context.store.write(() => {
    const added = wishes.map((wish) => addLaneRow(context, run, wish));
    return added.map((lane) => {
      connect(context, run, lane);
      return findLane(context.store, run, lane.key);
    });
  });
}

/** Without a look at what it needs. Call it in a transaction. @throws {UsageError} if the key is taken. */
export function addLaneRow(context: LaneContext, run: Run, wish: NewLane): Lane {
  const { key, spec, priority, by, existing } = wish;
  const adopted = existing?.worktree !== undefined;
  const now = context.now();
  const lanes = laneStore(context.store);
  if (lanes.byKey(run.id, key) !== undefined) {
    throw new UsageError(`there is a lane \`${key}\` already`, {
      hint: `change it with \`lanehold orchestrate lane edit ${key}\``,
    });
  }
  const lane: Lane = {
    ...derived(spec),
    id: wish.id ?? newId(now),
    runId: run.id,
    key,
    position: lanes.nextPosition(run.id),
    spec,
    specRev: 1,
    setupHash: '',
    branch: existing?.branch ?? `lanehold/${run.name}/${key}`,
    worktree: existing?.worktree ?? null,
    adopted,
    baseSha: existing?.baseSha ?? null,
    headSha: existing?.headSha ?? null,
    intent: 'hold',
    blocked: null,
    wantsAfter: 0,
    priority,
    createdAt: now,
  };
  lanes.add(lane, by);
  const type = adopted ? 'lane.adopted' : 'lane.added';
  addLaneEvent(context, lane, { type, data: { key }, by });
  return lane;
}

interface LaneEdit extends Pick<Lane, 'spec'>, Partial<Pick<Lane, 'priority'>> {
  readonly by: string;
  readonly type: 'lane.edited' | 'lane.widened';
}

/** Adds a revision of the spec. A verdict on the old one is stale until the lane is verified again. */
export function editLane(context: LaneContext, run: Run, key: string, edit: LaneEdit): LaneView {
  const { spec, type, by } = edit;
  assertFits(spec, run);
  return context.store.write(() => {
    const lanes = laneStore(context.store);
    const before = findLane(context.store, run, key);
    const priority = edit.priority ?? before.priority;
    const specRev = before.specRev + 1;
    const lane: Lane = { ...before, spec, specRev, ...derived(spec), priority };
    lanes.revise(lane, by, context.now());
    if (spec.agent !== before.spec.agent) lanes.setAccount(lane.id, null);
    connect(context, run, lane);
    addLaneEvent(context, lane, { type, data: { key, rev: lane.specRev }, by });
    return findLane(context.store, run, key);
  });
}

function assertFits(spec: LaneSpec, { repository }: Run): void {
  assertSpec(spec);
  const link = linkOnTheWay(repository, join(repository, spec.validateCwd));
  if (link === undefined) return;
  // A validation that runs through a link would not be of the commit.
  throw new UsageError(`${link} is no plain folder, so no validation can run in it`, {
    hint: 'name the folder that it leads to, relative to the root',
  });
}

/** Blocks or unblocks a lane; a running worker is stopped, and continues after the block. */
export function blockLane(context: LaneContext, lane: LaneView, reason: string | null, by: string) {
  const isAtWork = lane.state === 'starting' || lane.state === 'running';
  context.store.write(() => {
    const lanes = laneStore(context.store);
    lanes.setBlocked(lane.id, reason);
    if (reason !== null && isAtWork) lanes.setIntent(lane.id, 'hold');
    const type = reason === null ? 'lane.unblocked' : 'lane.blocked';
    addLaneEvent(context, lane, { type, data: { reason }, by });
  });
}

/** Cancels a lane: its worker is stopped, its work is kept, and it never starts again automatically. */
export function cancelLane(context: LaneContext, lane: Lane, by: string): void {
  context.store.write(() => {
    laneStore(context.store).setIntent(lane.id, 'cancelled');
    addLaneEvent(context, lane, { type: 'lane.cancelled', data: { key: lane.key }, by });
  });
}

/** Requests work on lanes, all or none, whatever the results of earlier attempts. @throws {ExplainedError} */
export function wantLanes(
  context: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  by: string,
): void {
  assertOpen(run);
  const cancelled = lanes.find(({ intent }) => intent === 'cancelled');
  if (cancelled !== undefined) {
    throw new ExplainedError(`lane ${cancelled.key} is cancelled`, {
      hint: 'add a new lane for the work; what it did is on its branch',
    });
  }
  const { want, setBlocked } = laneStore(context.store);
  const team = teamLaneStore(context.store);
  context.store.write(() => {
    for (const lane of lanes) {
      want(lane.id);
      setBlocked(lane.id, null);
      // What nobody has begun is offered anew, also to those who refused it.
      const offered = team.of(lane.id);
      if (offered?.state === 'offered') team.put({ ...offered, state: 'ended' });
      addLaneEvent(context, lane, { type: 'lane.spawned', data: { key: lane.key }, by });
    }
  });
}

/** @throws {ExplainedError} if an attempt is live. */
export function assertIdle(context: LaneContext, lane: LaneView): void {
  const attempt = attemptStore(context.store).lastOf(lane);
  const team = teamLaneStore(context.store).of(lane.id);
  const elsewhere = team?.state === 'claimed' ? ` on ${team.host}` : '';
  if (elsewhere === '' && (attempt === undefined || !isLive(attempt))) return;
  throw new ExplainedError(`lane ${lane.key} is ${lane.state}${elsewhere}`, {
    hint: 'wait for it: `lanehold orchestrate status` shows what it does',
  });
}

/** @throws {UsageError} */
export function assertVerified(run: Run, { key, state }: LaneView): void {
  if (is('passed', state)) return;
  if (is('over', state)) {
    throw new UsageError(`lane \`${key}\` is ${state}: nothing is left to be done with it`, {
      hint: 'add a new lane for more work: `lanehold orchestrate lane add --help`',
    });
  }
  throw new UsageError(`lane \`${key}\` is not verified: it ${stateClause(state)}`, {
    hint: `see what it needs: \`lanehold orchestrate status --run ${run.name}\``,
  });
}

export const NEW_RUN = "begin a new one with `lanehold orchestrate init 'GOAL'`";

/** @throws {ExplainedError} if the run is over. */
export function assertOpen(run: Run): void {
  if (run.intent === 'active' || run.intent === 'paused') return;
  throw new ExplainedError(`run ${run.name} is ${run.intent}`, {
    hint: NEW_RUN,
  });
}

function connect({ store }: LaneContext, run: Run, lane: Lane): void {
  const lanes = laneStore(store);
  const others = lanes.ofRun(run.id).filter(({ id }) => id !== lane.id);
  assertNeeds([lane], others);
  const needed = others.filter(({ key }) => lane.spec.needs.includes(key)).map(({ id }) => id);
  for (const { needsLaneId: id } of lanes.depsOf(lane.id)) {
    if (!needed.includes(id)) lanes.dropDep(lane.id, id);
  }
  for (const id of needed) lanes.addDep(lane.id, id);
}

type Needing = Pick<Lane, 'key'> & { readonly spec: Pick<LaneSpec, 'needs'> };

/** @throws {UsageError} if a needed lane is missing, or the needs form a circle. */
export function assertNeeds(lanes: readonly Needing[], others: readonly Needing[]): void {
  const needs = new Map([...others, ...lanes].map(({ key, spec }) => [key, spec.needs]));
  const visit = (key: string, trail: readonly string[]): void => {
    if (trail.includes(key)) {
      throw new UsageError(`lanes need each other in a circle: ${[...trail, key].join(' → ')}`, {
        hint: 'leave out one of these needs',
      });
    }
    for (const next of needs.get(key) ?? []) visit(next, [...trail, key]);
  };
  for (const { key, spec } of lanes) {
    const missing = spec.needs.find((it) => !needs.has(it));
    if (missing !== undefined) {
      const keys = [...needs.keys()].filter((it) => it !== key).join(', ');
      throw new UsageError(`lane ${key} needs \`${missing}\`, which is no lane of this run`, {
        hint: `lanes: ${keys || 'none'}; add it first`,
      });
    }
    visit(key, []);
  }
}

/** Lets one lane that is parked for quota try now; the other lanes of the account wait for its result. */
export function retryAccountNow(context: LaneContext, lane: LaneView, by: string): void {
  const { store } = context;
  const { account } = attemptStore(store).lastOf(lane) ?? {};
  if (lane.state !== 'parked' || !account) return;
  const breakers = breakerStore(store);
  const now = context.now();
  if ((breakers.get(account)?.resumeAt ?? now) <= now) return;
  store.write(() => {
    breakers.hurry(account, now);
    addLaneEvent(context, lane, { type: 'breaker.hurried', data: { account }, by });
  });
}
