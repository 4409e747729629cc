/** The board of a run: the facts that every reader is shown, read from the store and the disk. */
import { existsSync, statSync } from 'node:fs';
import { probeLock } from '../../base/process/held-lock.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { dayOf } from '../../base/text/time.ts';
import { acceptedFlagStore } from '../../store/accepted-flags.ts';
import { type Attempt, type AttemptState, attemptStore, isLive } from '../../store/attempts.ts';
import { breakerStore } from '../../store/breakers.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import {
  CHECKOUT_CHANGED,
  laneEventStore,
  laneReportStore,
  type Report,
} from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { ledgerStore, sumOf } from '../../store/ledger.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import type { Store } from '../../store/open.ts';
import { type PullRequest, pullRequestStore } from '../../store/pull-requests.ts';
import { fitOf, tipsOf } from '../fit/open-conflicts.ts';
import { runOf } from '../judge/log.ts';
import type { LaneContext } from '../spec/context.ts';
import { flagsIn, type LaneFlag } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { provesNothing, refusedCommit } from '../spec/outcomes.ts';
import { supervisorLock } from '../spec/paths.ts';
import { clashingWith } from '../spec/spec.ts';
import { rivalsOf } from '../spec/tries.ts';
import { isOpen, limitOf, offerWords } from '../start/start.ts';

export type Board = Readonly<ReturnType<typeof readBoard>>;

/** Why lanes that could start did not, by key: a limit, an account, a cap. */
export type Hindered = Readonly<Record<string, string>>;

/**
 * Reads a board, each table once, for any number of lanes. Changes nothing.
 *
 * @param hindered the result of a reconcile; by default only the rows count.
 */
export function readBoard({ store, now }: LaneContext, run: Run, hindered: Hindered = {}) {
  const at = now();
  const rows = rowsOf(store, run);
  const limit = limitOf(run, rows.live);
  const hindranceOf = ({ id, key, state }: LaneView): string | null => {
    // A waiting lane's reasons are its needs.
    if (!is('due', state)) return null;
    const offered = rows.teamOf.get(id);
    if (isOpen(offered)) return offerWords(offered);
    return hindered[key] ?? (state === 'ready' ? limit : undefined) ?? null;
  };
  const lanes = rows.lanes.map((lane) => laneCard(lane, { ...rows, run, at, hindranceOf }));
  const integrated = rows.integrations.findLast(
    ({ state }) => state === 'integrated' || state === 'landed',
  );
  const cards = new Map(lanes.map((lane) => [lane.id, lane]));
  const open = runStore(store).open(run.projectId);
  return {
    at,
    /** The number of the last event included. */
    cursor: laneEventStore(store).newest(run.id),
    run,
    /** ` --run <name>` if commands need it, else empty. */
    runOption: open.length === 1 && open[0]?.id === run.id ? '' : ` --run ${run.name}`,
    /** The last commit that the integration is known to have reached. */
    integrationTip: integrated?.resultSha ?? null,
    lanes,
    /** The pull request of the whole integration; those of lanes are on their cards. */
    pull: pullCard(rows.pulls.findLast(({ laneId }) => laneId === null)),
    questions: rows.questions.flatMap(
      ({ id, laneId }) => cards.get(laneId)?.questions.find((it) => it.id === id) ?? [],
    ),
    conflicts: rows.fit.open,
    /** Keys of lanes that still need the validation of a merge. */
    untried: [...rows.fit.untried],
    budget: {
      /** An open reservation counts in full. */
      spent: sumOf(rows.spending.map(({ spent }) => spent)),
      /** The use of the run's workers so far. */
      used: sumOf(rows.spending.map(({ used }) => used)),
      /** The total limit of attempts that have not ended. */
      reserved: sumOf(rows.spending.map(({ reserved }) => reserved)),
      cap: run.policy.runBudget,
      spentToday: ledgerStore(store).ofDay(dayOf(at)),
      usedToday: ledgerStore(store).usedOnDay(dayOf(at)),
      dayCap: run.policy.dayBudget,
    },
    /** Accounts that wait for their limit to reset. */
    breakers: breakerStore(store).all(),
    /** Why a person was not notified, unless the settings have changed since. */
    notifyFailure: notifyFailure(store, run),
  };
}

function notifyFailure(store: Store, { id }: Run): string | null {
  const settings = statSync(store.home.config, { throwIfNoEntry: false });
  if (settings === undefined) return null;
  const last = laneEventStore(store).last(id, 'run.notify-failed');
  return last === undefined || settings.mtime > last.at ? null : String(last.data.why);
}

export function countStates({ lanes }: Board): ReadonlyMap<LaneState, number> {
  const states = Map.groupBy(lanes, ({ state }) => state);
  return new Map([...states].map(([state, { length }]) => [state, length]));
}

export type LaneCard = Readonly<ReturnType<typeof laneCard>>;

type Rows = ReturnType<typeof rowsOf>;

function rowsOf(store: Store, { id: runId }: Run) {
  const lanes = laneStore(store).ofRun(runId);
  const tips = tipsOf(store, runId, lanes);
  const verdicts = laneValidationStore(store).shown(runId);
  const integrations = integrationStore(store).ofRun(runId);
  const questions = laneReportStore(store).openQuestions(runId);
  const attempts = attemptStore(store).ofRun(runId);
  const live = attempts.filter(isLive);
  const needs = laneStore(store).unmetOfRun(runId);
  const spending = ledgerStore(store).byLane(runId);
  const strays = laneEventStore(store).ofType(runId, CHECKOUT_CHANGED);
  return {
    lanes,
    live,
    atWork: lanes.filter(({ id }) => live.some(({ laneId }) => laneId === id)),
    attemptsOf: byLane(attempts),
    tips: new Map(tips.map(({ lane, sha }) => [lane.id, sha])),
    fit: fitOf(store, runId, { tips, verdicts }),
    needsOf: (laneId: string) => needs.get(laneId) ?? [],
    verdictOf: new Map(verdicts.map((it) => [it.subject === 'lane' ? it.laneId : null, it])),
    baseOf: new Map(verdicts.map((it) => [it.subject === 'base' ? baseKey(it) : null, it])),
    integrations,
    integrationOf: new Map(integrations.map((it) => [it.id, it])),
    questions,
    questionsOf: byLane(questions),
    messagesOf: byLane(laneReportStore(store).undeliveredMessages(runId)),
    pulls: pullRequestStore(store).ofRun(runId),
    acceptedOf: byLane(acceptedFlagStore(store).ofRun(runId)),
    refOf: new Map(strays.flatMap(({ laneId, data }) => (data.ref ? [[laneId, data.ref]] : []))),
    spending: [...spending.values()],
    spendingOf: (laneId: string) => spending.get(laneId) ?? NOTHING_SPENT,
    teamOf: new Map(
      teamLaneStore(store)
        .ofRun(runId)
        .map((it) => [it.laneId, it]),
    ),
    timesOf: byLane(laneEventStore(store).times(runId)),
  };
}

const NOTHING_SPENT = { spent: sumOf([]), used: sumOf([]), reserved: sumOf([]) };

const baseKey = ({ sha, cmdHash }: Pick<Validation, 'sha' | 'cmdHash'>): string =>
  `${sha} ${cmdHash}`;

function byLane<Row extends { readonly laneId: string | null }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, ({ laneId }) => laneId);
  return (laneId: string): readonly Row[] => groups.get(laneId) ?? [];
}

type Around = Rows & {
  readonly run: Run;
  readonly at: Date;
  readonly hindranceOf: (lane: LaneView) => string | null;
};

function laneCard(lane: LaneView, { run, at, hindranceOf, ...rows }: Around) {
  const { id, key, state, spec, validationId, integrationId } = lane;
  const attempts = rows.attemptsOf(id);
  const attempt = attempts.at(-1);
  const live = attempt !== undefined && isLive(attempt);
  // The verdict behind the state; else the lane's last one, to show the failure.
  const last = rows.verdictOf.get(id);
  const isRejudged = last !== undefined && last.cmdHash !== lane.cmdHash;
  const verdict = isRejudged ? undefined : last;
  const base = rows.baseOf.get(baseKey({ ...lane, sha: lane.baseSha ?? run.baseSha }));
  const accepted = rows.acceptedOf(id);
  const times = rows.timesOf(id);
  const integration = rows.integrationOf.get(integrationId ?? '') ?? null;
  const messages = rows.messagesOf(id);
  const judged = validationId === null ? undefined : verdict;
  const flags = flagsIn({ attempts, accepted, messages, verdict: judged }, lane);
  const known = { lane, attempt, verdict, integration, times, questions: rows.questionsOf(id) };
  return {
    id,
    key,
    state,
    spec,
    desc: spec.desc,
    notes: spec.notes,
    ...picked(lane, 'specRev', 'specHash', 'branch', 'worktree', 'adopted'),
    ...picked(lane, 'baseSha', 'headSha', 'blocked', 'createdAt'),
    tip: rows.tips.get(id) ?? null,
    /** Keys of the other tries of its task, until one is picked. */
    rivals: rivalsOf(lane, rows.lanes).map((it) => it.key),
    /** Unmet needs, and running lanes whose files clash with its own. */
    waitsFor: {
      needs: rows.needsOf(id),
      clashes: state === 'ready' ? clashingWith(lane, rows.atWork) : [],
    },
    hindered: hindranceOf(lane),
    /** What other machines of the team have to do with it. */
    team: teamCard(rows.teamOf.get(id)),
    parked: state === 'parked' && attempt ? parkedCard(attempt) : null,
    live,
    supervision: live ? supervisionOf(attempt, at) : null,
    attempt: attempt ? attemptCard(attempt) : null,
    attempts: attempts.map((it) => ({ ...attemptCard(it), times: timesIn(times, it.id) })),
    /** The time of its present state, if it is known. */
    since: sinceOf(known),
    /** The result of its validation on its base, before its first attempt. */
    base: attempt ? null : baseCard(base),
    verdict: verdict ? verdictCard(verdict) : null,
    isRejudged,
    integration,
    /** Why the merge queue refuses it: the other lane, the place, the failure. */
    refused: refusalOf(integration),
    tests: testsOf(verdict, base, flags),
    pull: pullCard(rows.pulls.findLast(({ laneId }) => laneId === id)),
    questions: rows.questionsOf(id).map((it) => questionCard(it, key, attempts)),
    /** Messages that its worker has not got yet. */
    messages: messages.map((it) => picked(it, 'id', 'body', 'by', 'at')),
    flags,
    /** The ref with the changes in the main checkout while it was at work. */
    mainCheckoutRef: rows.refOf.get(id),
    amiss: amissOf(lane, verdict),
    ...rows.spendingOf(id),
  };
}

const refusalOf = (row: Integration | null) => (row && refusedCommit(row)?.detail) ?? null;

const timesIn = (times: ReturnType<Rows['timesOf']>, attemptId: string) =>
  Object.fromEntries(
    times
      .filter((it) => it.attemptId === attemptId)
      .map(({ type, at }) => [type.replace('attempt.', ''), new Date(at)]),
  ) as Readonly<Partial<Record<AttemptState, Date>>>;

interface Known {
  readonly lane: LaneView;
  readonly attempt: Attempt | undefined;
  readonly verdict: Validation | undefined;
  readonly integration: Integration | null;
  readonly times: ReturnType<Rows['timesOf']>;
  readonly questions: readonly Report[];
}

function sinceOf({ lane, attempt, verdict, integration, times, questions }: Known): Date {
  const { state, createdAt } = lane;
  if (state === 'asks' && questions[0] !== undefined) return questions[0].at;
  const type = state === 'integrating' ? 'validating' : state;
  const moved = times.filter((it) => it.type.endsWith(`.${type}`)).map(({ at }) => at);
  if (moved.length > 0) return new Date(Math.max(...moved));
  if (integration !== null) return integration.at;
  if (state === 'verified' && verdict !== undefined) return verdict.at;
  return attempt?.endedAt ?? attempt?.startedAt ?? createdAt;
}

/** The numbers of tests, if runners report them; `ranOnBase` before the work, `removed` by its flags. */
function testsOf(
  verdict: Validation | undefined,
  base: Validation | undefined,
  flags: readonly LaneFlag[],
) {
  return {
    ran: runOf(verdict)?.executed ?? null,
    ranOnBase: runOf(base)?.executed ?? null,
    failed: verdict?.newFailures ?? [],
    removed: flags.flatMap(({ kind, data }) => (GONE.has(kind) ? data : [])),
  };
}

/** Flags about tests that the base has. */
const GONE: ReadonlySet<string> = new Set(['tests_removed', 'tests-removed', 'tests-not-run']);

function picked<T, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

/** @param attempts those of its lane: the answer goes to the worker that asked, else to the last one. */
function questionCard(report: Report, lane: string, attempts: readonly Attempt[]) {
  const asked = attempts.find(({ id }) => id === report.attemptId) ?? attempts.at(-1);
  const { agent = null, sessionId = null } = asked ?? {};
  return {
    ...picked(report, 'id', 'body', 'by', 'at'),
    number: report.seq,
    lane,
    agent,
    sessionId,
  };
}

function amissOf({ state, worktree }: LaneView, verdict: Validation | undefined): string[] {
  // While a lane is starting, its worktree does not exist yet.
  const tree = state === 'starting' ? null : worktree;
  return [
    ...gone(tree, 'its worktree is gone'),
    ...gone(verdict?.logPath, 'the log of its validation is gone'),
  ];
}

const gone = (path: string | null | undefined, fact: string): string[] =>
  path == null || existsSync(path) ? [] : [fact];

function parkedCard({ endCause: cause, endDetail, resumeAt: until }: Attempt) {
  return { cause, why: endDetail ?? 'no reason is recorded', until };
}

function verdictCard(it: Validation) {
  return {
    validationId: it.id,
    command: it.cmd,
    ...picked(it, 'result', 'sha', 'exitCode', 'newFailures', 'why', 'flags'),
    ...picked(it, 'logPath', 'logSha256', 'logBytes', 'logChangedAt', 'at'),
  };
}

function baseCard(it: Validation | undefined) {
  if (it === undefined) return null;
  return {
    command: it.cmd,
    proves: !provesNothing(it),
    ...picked(it, 'result', 'exitCode', 'why', 'logPath', 'at'),
  };
}

/** `host`: the machine that has it, or had it last. */
const teamCard = (it: TeamLane | undefined) =>
  it === undefined ? null : picked(it, 'state', 'host', 'rev', 'epoch', 'why', 'at');

/** `sessionId`: the agent's own id of the conversation, with which it can be continued by hand. */
function attemptCard(it: Attempt) {
  return {
    ...picked(it, 'id', 'n', 'kind', 'state', 'endReason', 'endCause', 'endDetail', 'exitCode'),
    ...picked(it, 'agent', 'model', 'sessionId', 'startSha', 'endSha', 'startedAt', 'endedAt'),
    ...picked(it, 'lastOutputAt', 'lastChangeAt', 'usage', 'dir'),
  };
}

export type PullCard = NonNullable<ReturnType<typeof pullCard>>;

function pullCard(it: PullRequest | undefined) {
  if (it === undefined) return null;
  return {
    ...picked(it, 'number', 'url', 'branch', 'base', 'headSha', 'state'),
    ...picked(it, 'rounds', 'look', 'problem', 'landed'),
  };
}

/** Whether a live attempt has a supervisor: the lock decides; the time stamp shows how responsive it is. */
export type SupervisorState =
  /** Its lock is held, and it was active lately. */
  | 'supervised'
  /** It was just launched, and may not have taken the lock yet. */
  | 'launching'
  /** The lock is held, so no takeover is possible, but there is no activity. */
  | 'unresponsive'
  /** The lock is free: the next reconcile takes over. */
  | 'none'
  /** The lock cannot be read, which does not mean that the supervisor is dead. */
  | 'unknown';

const SILENT_MS = 5 * 60_000;
const LAUNCH_MS = 5_000;

function supervisionOf(attempt: Attempt, now: Date): SupervisorState {
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
