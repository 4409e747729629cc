/**
 * The validation of one commit, from the wait for a slot to the stored verdict: a run, a second run after a failure, a
 * run on the base to recognise old failures, and one with the base's proof if the lane has changed it.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import type { Git } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { treeOf } from '../../base/git/plumbing.ts';
import { defaultSlots, waitForSlot } from '../../base/process/slots.ts';
import { enumerated, plural } from '../../base/text/count.ts';
import { SetupFailedError } from '../../checkout/setup.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import {
  laneValidationStore,
  type Validation,
  type ValidationRunRecord,
} from '../../store/lane-validations.ts';
import type { LaneContext } from '../spec/context.ts';
import { COULD_NOT_RUN, flagText, MAIN_CHANGED, TESTS_REMOVED } from '../spec/flags.ts';
import { locksOf } from '../spec/paths.ts';
import { judgeBaseTests, testsNotRun } from './base-tests.ts';
import { type CleanRunWish, type CommitRun, cleanRun } from './clean-run.ts';
import {
  type Baseline,
  flakyTests,
  flakyWords,
  type Judgement,
  judge,
  needsBaseline,
  needsRerun,
} from './judge.ts';
import { logStamp } from './log.ts';
import { noticedChanges } from './noticed-changes.ts';
import { changedProof } from './proof.ts';
import { changedTestFiles, lostTests, reportedTestFiles, withReported } from './removed-tests.ts';
import { NOTHING, type TestsRun } from './run-validation.ts';
import { strayFlags } from './stray.ts';
import { isNamedAsTest } from './test-cases.ts';

interface CommitToValidate
  extends CleanRunWish,
    Pick<Validation, 'sha'>,
    Partial<Pick<Validation, 'specHash'>> {
  /** The hash of the lane's setup; by default that of the commit's. */
  readonly setupHash?: string;
  readonly removesTests: 'no' | 'declared';
  /** The change of behaviour that the coordinator has declared. */
  readonly changesBehaviour?: string | undefined;
  /** Runs the base's tests as well, even without a lane. */
  readonly withBaseTests?: boolean;
  /** Called with what it waits for; `null`: nothing. */
  readonly tell?: (waitsFor: string | null) => void;
}

interface Job extends CommitToValidate {
  readonly setupHash: string;
  readonly context: LaneContext;
  readonly git: Git;
}

interface JudgedRuns {
  readonly runs: readonly CommitRun[];
  readonly judgement: Judgement;
}

/** @throws if it is aborted, or a disk is full. Then there is no verdict, and nothing is stored. */
export async function validateCommit(context: LaneContext, wish: CommitToValidate) {
  const id = newId(context.now());
  const { run, base, sha } = wish;
  const isProved = wish.subject === 'lane' || wish.withBaseTests === true;
  // This depends on commits alone, so no slot is held meanwhile.
  const stray = isProved ? await strayFlags(gitIn(run.repository, context.env), base, sha) : [];
  return await inSlot(context, wish, async (job) => {
    const logOf = (n: number) => `validate-${id}-${n}.log`;
    const runs = await runUntilConclusive(job, job.sha, logOf);
    const [{ setupHash }] = runs as [CommitRun];
    const known = { ...job, setupHash: wish.setupHash ?? setupHash };
    const found = await judged(known, runs, logOf(runs.length + 1));
    const blamed = await blameIfUnrun(known, found);
    const isToProve = isProved && blamed.judgement.verdict === 'pass';
    const proved = isToProve
      ? await withBaseProof(known, withFlags(blamed, stray), (it) => `validate-${id}-${it}.log`)
      : blamed;
    return await recordVerdict(known, id, proved, blamed.runs.length);
  });
}

/** Validates the base, before there is anything to compare with it. */
export const validateAlone = (context: LaneContext, wish: CommitToValidate): Promise<Validation> =>
  inSlot(context, wish, validateBase);

/** Shorter waits are not reported. */
const WAITS_MS = 1_000;

async function tellingIfLong<T>({ tell }: CommitToValidate, wait: Promise<T>): Promise<T> {
  let isTold = false;
  const timer = setTimeout(() => {
    isTold = true;
    tell?.('waits for a slot: as many validate as may');
  }, WAITS_MS);
  try {
    return await wait;
  } finally {
    clearTimeout(timer);
    if (isTold) tell?.(null);
  }
}

async function inSlot<T>(
  context: LaneContext,
  wish: CommitToValidate,
  work: (job: Job) => Promise<T>,
): Promise<T> {
  makePrivateFolder(wish.dir);
  const { run, settings, priority, signal } = wish;
  const count = settings.slots.validate ?? defaultSlots().validate;
  const asked = { kind: 'validate', count, priority } as const;
  const slot = await tellingIfLong(wish, waitForSlot(locksOf(context.store.home), asked, signal));
  try {
    const git = gitIn(run.repository, context.env);
    return await work({ setupHash: '', ...wish, context, git });
  } finally {
    slot.release();
  }
}

/** Runs again after a failure that the base does not explain, since it may be flaky. */
async function judged(job: Job, ran: readonly CommitRun[], nextLog: string): Promise<JudgedRuns> {
  const first = ran.at(-1) as CommitRun;
  const { testsRemoved, baseline } = await comparedWithBase(job, first);
  const runs = [...ran];
  const conclusive = [first];
  let flakyOnBase: readonly string[] = [];
  if (needsRerun(first, baseline)) {
    const second = await cleanRun(job.context, job, { sha: job.sha, log: nextLog });
    runs.push(second);
    // A kill is no result, so the failure counts.
    if (second.result === 'pass' || second.result === 'fail') conclusive.push(second);
    if (second.result === 'pass') flakyOnBase = await flakyOf(job, first.failures);
  }
  job.signal.throwIfAborted();
  const removal = job.removesTests;
  const judgement = judge({ runs: conclusive, baseline, testsRemoved, flakyOnBase, removal });
  const flaky = flakyTests(conclusive).map(flakyWords);
  const flags = judgement.flags.map((flag) => {
    if (flag !== 'tests_removed') return flag;
    return flagText(removal === 'declared' ? 'tests_removed_as_declared' : flag, testsRemoved);
  });
  if (flaky.length > 0) flags.push(flagText('flaky-tests', flaky));
  return { runs, judgement: { ...judgement, flags } };
}

/** Blames the work if the command cannot run here and runs on the base; otherwise the cause is unknown. */
async function blameIfUnrun(job: Job, found: JudgedRuns): Promise<JudgedRuns> {
  const { runs, judgement } = found;
  const { verdict, why, flags } = judgement;
  if (job.subject !== 'lane' || (verdict !== 'error' && verdict !== 'timeout')) return found;
  const last = runs.at(-1);
  const runsOnBase = async (): Promise<boolean> => {
    const wasKilled = last?.result === 'error' && last.broken;
    if (wasKilled || job.base === job.sha) return false;
    // A program may have been uninstalled since, or a port taken: an earlier result does not show that.
    const hasRun = last?.result !== 'error';
    const base = hasRun ? await baselineOf(job) : await validateBase(job);
    return base?.result === 'pass' || (base?.result === 'fail' && !hasRun);
  };
  const hasBegun = verdict === 'timeout' && (last?.tests?.ran ?? 0) > 0;
  if (!hasBegun && !(await runsOnBase())) {
    return { runs, judgement: { ...judgement, flags: [...flags, COULD_NOT_RUN] } };
  }
  if (verdict === 'timeout') return found;
  const fail = {
    verdict: 'fail',
    rejection: 'validation',
    why: `${why}; on the base it runs`,
  } as const;
  return { runs, judgement: { ...judgement, ...fail } };
}

/** Looks for missing tests in the text of the changed files, and in the reports of their runs. */
async function comparedWithBase(job: Job, run: CommitRun) {
  const files = await changedTestFiles(job.git, job.base, job.sha);
  const missed = lostTests(files);
  const mayHide = job.removesTests === 'no' && files.some(({ before }) => before.length > 0);
  const own = mayHide ? run.tests : undefined;
  const isNeeded = needsBaseline(run, missed) || (own !== undefined && run.result === 'pass');
  const baseline = isNeeded ? await baselineOf(job) : undefined;
  const isProof = run.result === 'pass' || (run.result === 'fail' && !needsRerun(run, baseline));
  const old = isProof ? baseline?.tests : undefined;
  const hidden = old && own ? lostTests(reportedTestFiles(old, own, files)) : [];
  return { baseline, testsRemoved: withReported(missed, hidden) };
}

const AGAIN_AFTER_MS = [0, 3_000];

/** Repeats a run that was killed, ran out of time or crashed, up to two times. */
async function runUntilConclusive(job: Job, sha: string, logOf: (n: number) => string) {
  const runOnce = (n: number) => cleanRun(job.context, job, { sha, log: logOf(n) });
  const runs = [await runOnce(1)];
  for (const pauseMs of AGAIN_AFTER_MS) {
    if (runs.at(-1)?.broken !== true) break;
    await sleep(pauseMs, undefined, { signal: job.signal });
    runs.push(await runOnce(runs.length + 1));
  }
  return runs;
}

/** The number of runs on the base that show whether it is flaky, too. */
const BASE_RUNS = 3;

/** The tests among these that pass and fail on the base. Tests that the base lacks are left out. */
async function flakyOf(job: Job, names: readonly string[]): Promise<readonly string[]> {
  if (job.base === job.sha || names.length === 0) return [];
  const runsOfBase = () => validationsOfBase(job).flatMap(({ runs }) => runs);
  const found = () => {
    const flaky = new Set(flakyTests(runsOfBase()).map(({ name }) => name));
    return names.filter((name) => flaky.has(name));
  };
  while (found().length < names.length && runsOfBase().length < BASE_RUNS) await validateBase(job);
  return found();
}

const withFlags = ({ runs, judgement }: JudgedRuns, flags: readonly string[]): JudgedRuns => ({
  runs,
  judgement: { ...judgement, flags: [...judgement.flags, ...flags] },
});

/** A lane that has changed its own proof also has to pass with the base's. */
async function withBaseProof(
  job: Job,
  found: JudgedRuns,
  logOf: (what: string) => string,
): Promise<JudgedRuns> {
  const proof = await changedProof(job.context, job);
  const proved = await withBaseSettings(job, found, proof, logOf('proof'));
  if (proved.judgement.verdict !== 'pass') return proved;
  const { runs, judgement } = await withBaseTests(job, proved, proof, logOf);
  const least = job.settings.proof.mutants;
  if (judgement.verdict !== 'pass' || least === undefined) return { runs, judgement };
  const noticed = await noticedChanges(job.context, job, logOf('changes'), least);
  return { runs, judgement: { ...judgement, flags: [...judgement.flags, ...noticed] } };
}

type Proof = Awaited<ReturnType<typeof changedProof>>;

/** Runs the base's tests on the lane's code, whatever the lane has changed in them. */
async function withBaseTests(
  job: Job,
  found: JudgedRuns,
  { ran, tests, fresh, spliced, unread }: Proof,
  logOf: (what: string) => string,
): Promise<JudgedRuns> {
  const { judgement } = found;
  const own = found.runs.findLast(({ result }) => result === 'pass');
  const baseline = await baselineOf(job);
  const before = baseline?.tests?.ran ?? 0;
  if (before > 0 && own !== undefined && own.tests === undefined) {
    const why = `nothing was proved: ${plural(before, 'test')} ran on the base, and none is known to have run here`;
    return { ...found, judgement: { ...judgement, verdict: 'error', why } };
  }
  const again: CommitRun[] = [];
  // New files can affect old tests, unless the runner has a process for each file.
  const mayReach = before > 0 ? fresh.filter((path) => !isRunApart(path, own?.tests)) : [];
  const old = { from: job.base, paths: [...new Set([...ran, ...tests, ...fresh])] };
  const hasTests = tests.length + mayReach.length + spliced.length > 0;
  for (const n of hasTests ? [1, 2] : []) {
    if (again[0]?.result === 'pass') break;
    const log = logOf(`base-tests-${n}`);
    again.push(await cleanRun(job.context, job, { sha: job.sha, log, old, spliced }));
  }
  const changed = [...tests, ...fresh];
  const lane = { claim: job.changesBehaviour, own: own?.tests, changed };
  const { flags, why = judgement.why } = hasTests
    ? judgeBaseTests(again, baseline, lane)
    : testsNotRun(baseline?.tests, own?.tests);
  const said = unread.length > 0 ? [flagText('inline-tests-not-compared', unread)] : [];
  return {
    runs: [...found.runs, ...again],
    judgement: { ...judgement, why, flags: [...judgement.flags, ...flags, ...said] },
  };
}

/** Runners of JavaScript isolate files, and Cargo makes a program of each. */
function isRunApart(path: string, ran: TestsRun | undefined): boolean {
  const isApart = ran?.runners.every((it) => /^(?:node|vitest|jest)$/.test(it)) === true;
  return path.endsWith('.rs') || (isApart && isNamedAsTest(path) && /\.[cm]?[jt]sx?$/.test(path));
}

async function withBaseSettings(
  job: Job,
  found: JudgedRuns,
  { changed, ran: paths }: Proof,
  log: string,
): Promise<JudgedRuns> {
  const told = changed.length === 0 ? [] : [flagText('proof-changed', changed)];
  const judgement = { ...found.judgement, flags: [...found.judgement.flags, ...told] };
  if (paths.length === 0) return { ...found, judgement };
  const old = { from: job.base, paths };
  const again = await cleanRun(job.context, job, { sha: job.sha, log, old });
  const runs = [...found.runs, again];
  const baseline = needsBaseline(again, []) ? await baselineOf(job) : undefined;
  const asked = { runs: [again], baseline, testsRemoved: [] };
  const { verdict, rejection, newFailures, ...judged } = judge(asked);
  if (verdict === 'pass') return { runs, judgement };
  const why = `with ${enumerated(paths, MOST_NAMES)} of the base: ${judged.why}`;
  if (job.removesTests !== 'declared') {
    return { runs, judgement: { ...judgement, verdict, rejection, newFailures, why } };
  }
  const flags = [...judgement.flags, flagText('base-proof-failed', paths)];
  return { runs, judgement: { ...judgement, flags, why: `${judgement.why}; ${why}` } };
}

const MOST_NAMES = 5;

/** The result of the base, which runs once for each base, command and setup. */
async function baselineOf(job: Job): Promise<Baseline | undefined> {
  if (job.base === job.sha) return undefined;
  const last = validationsOfBase(job).map(baselineFrom).at(-1);
  // Any other result may be better this time.
  if (last?.result === 'pass' || last?.result === 'fail') return last;
  return baselineFrom(await validateBase(job));
}

function validationsOfBase({ context, base: sha, setupHash, command: { cmdHash } }: Job) {
  const all = laneValidationStore(context.store).ofCommit({ sha, cmdHash, setupHash });
  return all.filter(({ subject }) => subject === 'base');
}

async function validateBase(job: Job): Promise<Validation> {
  const id = newId(job.context.now());
  const { base: sha } = job;
  const logOf = (n: number) => `validate-${id}-base-${n}.log`;
  const runs = await runUntilConclusive(job, sha, logOf).catch((error) => notSetUp(job, error));
  const last = runs.at(-1) as CommitRun;
  const judgement = judge({ runs: [last], baseline: undefined, testsRemoved: [] });
  const subject = { subject: 'base', laneId: null, specHash: null, sha } as const;
  const setupHash = job.setupHash || last.setupHash;
  return await recordVerdict({ ...job, ...subject, setupHash }, id, { runs, judgement });
}

/** A failed setup on the base is a result that explains nothing. */
function notSetUp({ dir }: Job, error: unknown): CommitRun[] {
  if (!(error instanceof SetupFailedError)) throw error;
  const log = { logPath: join(dir, 'setup.log'), logSha256: '', tail: error.tail };
  const why = { ...NOTHING, detail: error.message };
  return [{ ...log, ...why, setupHash: '', absent: [], changedMain: [] }];
}

/** The names are in a file: they may be thousands, and all validations of a run are read from the database. */
const testsFile = (log: string): string => `${log}.tests.json`;
const Tests = z.object({
  ran: z.optional(z.number()),
  executed: z.array(z.string()),
  skipped: z.array(z.string()),
});

function baselineFrom({ result, newFailures, runs }: Validation): Baseline {
  const tests = testsOf(runs.at(-1));
  return { result, failures: newFailures ?? [], ...(tests && { tests }) };
}

/** The tests that ran, by name; `undefined` if no runner reported them, or the file is gone. */
export function testsOf(run: Pick<ValidationRunRecord, 'logPath'> | undefined) {
  const tests = readJsonFile(testsFile(run?.logPath ?? ''), Tests);
  if (typeof tests === 'string') return undefined;
  return { ...tests, ran: tests.ran ?? tests.executed.length };
}

async function recordVerdict(
  { context, git, run, command, ...judged }: Job,
  id: string,
  { runs, judgement }: JudgedRuns,
  own = runs.length,
): Promise<Validation> {
  const { verdict, rejection, newFailures, oldFailures, flags, why } = judgement;
  for (const { tests, logPath } of runs) {
    if (tests === undefined) continue;
    const { ran, executed, skipped } = tests;
    writeJsonFile(testsFile(logPath), { ran, executed, skipped });
  }
  const records = runs.map(
    ({ result, exitCode, durationMs, logPath, logSha256, tests, failures }) => ({
      result,
      exitCode,
      durationMs,
      logPath,
      logSha256,
      ...(tests ? { executed: tests.ran, passed: tests.passed } : {}),
      ...(failures.length === 0 ? {} : { failures: failures.slice(0, MOST_FAILURES) }),
    }),
  );
  // A pass is told by what ran of the commit itself, and not by the tests of its base that came after that.
  const telling = verdict === 'pass' ? records.slice(0, own) : records;
  const deciding = telling.findLast(({ result }) => result === verdict) ?? records.at(-1);
  if (deciding === undefined) throw new Error('a validation without a run');
  const { subject, laneId = null, attemptId = null, sha, setupHash, specHash = null } = judged;
  const { cmd, cwd, cmdHash } = command;
  const changedMain = runs.flatMap((it) => it.changedMain);
  const validation: Validation = {
    ...deciding,
    id,
    runId: run.id,
    subject,
    laneId,
    attemptId,
    sha,
    tree: await treeOf(git, sha),
    cmd,
    cwd,
    cmdHash,
    setupHash,
    specHash,
    ...logStamp(deciding.logPath),
    result: verdict,
    runs: records,
    newFailures,
    oldFailures,
    flags: [
      ...flags,
      ...(rejection === 'tests_removed' ? [TESTS_REMOVED] : []),
      ...(changedMain.length === 0 ? [] : [flagText(MAIN_CHANGED, changedMain)]),
    ],
    why: withAbsent(why, runs),
    host: hostname(),
    at: context.now(),
  };
  const data = { id, subject, sha, result: verdict };
  const event = { runId: run.id, laneId, attemptId, type: 'validation', data, by: 'lanehold' };
  context.store.write(() => {
    laneValidationStore(context.store).add(validation);
    laneEventStore(context.store).add(event, context.now());
  });
  return validation;
}

const MOST_FAILURES = 500;

function withAbsent(why: string, runs: readonly CommitRun[]): string {
  const paths = [...new Set(runs.flatMap(({ absent }) => absent))];
  if (paths.length === 0) return why;
  const names = enumerated(
    paths.map((path) => `\`${path}\``),
    paths.length,
  );
  return `${why}; in no commit: ${names} (what the tests need of it belongs in .worktreeinclude, or in the setup)`;
}
