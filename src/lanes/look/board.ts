/** The board of a run: the facts that every reader is shown, read from the store and the disk. */
import { existsSync } from 'node:fs';
import { probeLock } from '../../base/process/held-lock.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { type Attempt, attemptStore, isLive } from '../../store/attempts.ts';
import { type Breaker, breakerStore } from '../../store/breakers.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneEventStore, laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import { ledgerStore, type Spent } from '../../store/ledger.ts';
import type { Store } from '../../store/open.ts';
import { type Budget, type Run, runStore } from '../../store/runs.ts';
import { type OpenConflict, openConflicts, untriedLanes } from '../fit/open-conflicts.ts';
import type { LaneContext } from '../spec/context.ts';
import { flagsOf } from '../spec/flags.ts';
import { lastOfBase, provesNothing } from '../spec/outcomes.ts';
import { supervisorLock } from '../spec/paths.ts';
import { clashingWith } from '../spec/spec.ts';
import { dayOf } from '../start/budget.ts';

export interface Board {
  readonly at: Date;
  /** The number of the last event included. */
  readonly cursor: number;
  readonly run: Run;
  /** ` --run <name>` where commands need it, else empty. */
  readonly runOption: string;
  /** The last commit that the integration is known to have reached. */
  readonly integrationTip: string | null;
  readonly lanes: readonly LaneCard[];
  /** Oldest first. */
  readonly questions: LaneCard['questions'];
  readonly conflicts: readonly OpenConflict[];
  /** Keys of lanes whose merge with another one was to be validated and has not been yet. */
  readonly untried: readonly string[];
  readonly budget: {
    /** Where an open reservation counts in full. */
    readonly spent: Spent;
    /** What the workers of the run have used so far. */
    readonly used: Spent;
    readonly cap: Budget;
    readonly spentToday: Spent;
    readonly dayCap: Budget;
  };
  /** Accounts that wait for their limit to reset. */
  readonly breakers: readonly Breaker[];
}

/** Why lanes that could start did not, by key: a limit, an account, a cap. */
export type Hindered = Readonly<Record<string, string>>;

/** @param hindered as the last reconcile found it; empty if none was run. */
export function readBoard(context: LaneContext, run: Run, hindered: Hindered = {}): Board {
  const { store } = context;
  const at = context.now();
  const rows = laneStore(store).ofRun(run.id);
  const live = new Set(
    attemptStore(store)
      .liveOfRun(run.id)
      .map(({ laneId }) => laneId),
  );
  const atWork = rows.filter(({ id }) => live.has(id));
  const lanes = rows.map((lane) => laneCard({ store, run, at, hindered, atWork }, lane));
  const ledger = ledgerStore(store);
  const open = runStore(store).open(run.projectId);
  const integrated = integrationStore(store)
    .ofRun(run.id)
    .findLast(({ state }) => state === 'integrated' || state === 'landed');
  return {
    at,
    cursor: laneEventStore(store).newest(run.id),
    run,
    runOption: open.length === 1 && open[0]?.id === run.id ? '' : ` --run ${run.name}`,
    integrationTip: integrated?.resultSha ?? null,
    lanes,
    questions: lanes
      .flatMap(({ questions }) => questions)
      .sort((a, b) => a.at.getTime() - b.at.getTime()),
    conflicts: openConflicts(context, run.id),
    untried: [...untriedLanes(context, run.id)],
    budget: {
      spent: ledger.ofRun(run.id),
      used: ledger.usedByRun(run.id),
      cap: run.policy.runBudget,
      spentToday: ledger.ofDay(dayOf(at)),
      dayCap: run.policy.dayBudget,
    },
    breakers: breakerStore(store).all(),
  };
}

/** How many lanes are in each state; states without lanes are left out. */
export function countStates({ lanes }: Board): ReadonlyMap<LaneState, number> {
  const states = Map.groupBy(lanes, ({ state }) => state);
  return new Map([...states].map(([state, { length }]) => [state, length]));
}

export type LaneCard = Readonly<ReturnType<typeof laneCard>>;

interface OfRun extends Pick<Board, 'run' | 'at'> {
  readonly store: Store;
  readonly hindered: Hindered;
  readonly atWork: readonly LaneView[];
}

function laneCard({ store, run, at, hindered, atWork }: OfRun, lane: LaneView) {
  const { id, key, state, spec, validationId, integrationId } = lane;
  const tries = attemptStore(store).ofLane(id);
  const attempt = tries.at(-1);
  const live = attempt !== undefined && isLive(attempt);
  // The verdict that the state follows from; else the last one of the lane, to say what failed.
  const validations = laneValidationStore(store);
  const verdict =
    validationId === null
      ? validations.ofLane(id).findLast(({ subject }) => subject === 'lane')
      : validations.byId(validationId);
  const questions = laneReportStore(store)
    .ofLane(id)
    .filter(({ kind, answeredAt }) => kind === 'ask' && answeredAt === null);
  const lanes = laneStore(store);
  return {
    ...{ id, key, state, spec, desc: spec.desc, notes: spec.notes },
    ...picked(lane, 'specRev', 'specHash', 'branch', 'worktree', 'adopted'),
    ...picked(lane, 'baseSha', 'headSha', 'blocked'),
    /** Unmet needs, and running lanes whose files clash with its own. */
    waitsFor: {
      needs: lanes.unmet(id),
      clashes: state === 'ready' ? clashingWith(lane, atWork) : [],
    },
    hindered: MAY_BE_DUE.has(state) ? (hindered[key] ?? null) : null,
    parked: state === 'parked' && attempt ? parkedCard(attempt) : null,
    live,
    supervision: live ? supervisionOf(attempt, at) : null,
    /** The last attempt, live or not. */
    attempt: attempt ? attemptCard(attempt) : null,
    /** What its validation came to on the commit that it starts from, before it begins. */
    base: attempt ? null : baseCard(lastOfBase(store, run, lane)),
    verdict: verdict
      ? {
          ...{ validationId: verdict.id, command: verdict.cmd },
          ...picked(verdict, 'result', 'sha', 'exitCode', 'newFailures', 'why', 'flags'),
          ...picked(verdict, 'logPath', 'logSha256', 'at'),
        }
      : null,
    integration: integrationStore(store).byId(integrationId ?? '') ?? null,
    questions: questions.map((report) => {
      const asked = tries.find((it) => it.id === report.attemptId) ?? attempt;
      // Of the worker that asked.
      const { agent = null, sessionId = null } = asked ?? {};
      return { ...picked(report, 'id', 'body', 'by', 'at'), lane: key, agent, sessionId };
    }),
    /** Warnings besides the state. */
    flags: flagsOf(store, lane),
    /** What is recorded but not found on the disk. */
    amiss: [
      // While a lane is starting, its worktree does not exist yet.
      ...(state === 'starting' ? [] : gone(lane.worktree, 'its worktree is gone')),
      ...gone(verdict?.logPath, 'the log of its validation is gone'),
    ],
    spent: ledgerStore(store).ofLane(id),
  };
}

/** A waiting lane's reasons are its needs. */
const MAY_BE_DUE: ReadonlySet<LaneState> = new Set(['ready', 'parked', 'stale']);

function picked<T, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

const gone = (path: string | null | undefined, fact: string): string[] =>
  path == null || existsSync(path) ? [] : [fact];

function parkedCard({ endCause: cause, endDetail, resumeAt: until }: Attempt) {
  return { cause, why: endDetail ?? 'no reason is recorded', until };
}

function baseCard(it: Validation | undefined) {
  if (it === undefined) return null;
  return {
    command: it.cmd,
    proves: !provesNothing(it),
    ...picked(it, 'result', 'exitCode', 'why', 'logPath', 'at'),
  };
}

/** `sessionId`: the agent's own id of the conversation, to continue it by hand. */
function attemptCard(it: Attempt) {
  return {
    ...picked(it, 'id', 'n', 'kind', 'state', 'endReason', 'endCause', 'endDetail', 'exitCode'),
    ...picked(it, 'agent', 'model', 'sessionId', 'startSha', 'endSha', 'startedAt', 'endedAt'),
    ...picked(it, 'lastOutputAt', 'lastChangeAt', 'usage', 'dir'),
  };
}

/** Whether a live attempt has a supervisor: the lock decides; the time stamp shows how responsive it is. */
export type Supervision =
  /** Its lock is held, and it has shown activity lately. */
  | 'supervised'
  /** Just launched: the lock may not have been taken yet. */
  | 'launching'
  /** The lock is held, so no takeover is possible, but there is no activity. */
  | 'unresponsive'
  /** The lock is free: the next reconcile takes over. */
  | 'none'
  /** The lock cannot be read, which does not mean that the supervisor is dead. */
  | 'unknown';

const SILENT_MS = 5 * 60_000;
const LAUNCH_MS = 5_000;

function supervisionOf(attempt: Attempt, now: Date): Supervision {
  const { state, startedAt, launchedAt, progressAt } = attempt;
  const ageOf = (time: Date) => now.getTime() - time.getTime();
  // No process survives a reboot, whatever the file system says about the lock.
  if (attempt.bootId !== null && attempt.bootId !== bootId()) return 'none';
  const lock = probeLock(supervisorLock(attempt.dir));
  if (lock === 'unknown') return 'unknown';
  if (lock === 'held') {
    return ageOf(progressAt ?? startedAt) > SILENT_MS ? 'unresponsive' : 'supervised';
  }
  const isNew = Math.abs(ageOf(launchedAt ?? startedAt)) < LAUNCH_MS;
  return state === 'starting' && isNew ? 'launching' : 'none';
}
