/**
 * The validation of one commit, from the wait for a slot to the stored verdict: a run, a second run
 * if it failed, and a run on the base to tell old failures from new ones.
 */

import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SetupFailedError } from '../../checkout/setup.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { enumerated } from '../../text/count.ts';
import type { LaneContext } from '../context.ts';
import { assertDiskSpace } from '../disk-space.ts';
import { locksOf } from '../paths.ts';
import { absentFiles } from './absent-files.ts';
import { type CleanTreeWish, inCleanTree } from './clean-tree.ts';
import { environmentHash } from './command-hash.ts';
import { type Baseline, type Judgement, judge, needsBaseline, needsRerun } from './judge.ts';
import { removedTests } from './removed-tests.ts';
import { askForReports } from './reports/reports.ts';
import { runValidation, type ValidationRun } from './run-validation.ts';

/** The flag of a verdict that rejects the work for removed tests. */
export const TESTS_REMOVED = 'rejected-for-removed-tests';

export interface ValidationCommand extends Pick<Validation, 'cmd' | 'cwd' | 'cmdHash'> {
  readonly timeoutS: number;
}

interface CommitToValidate
  extends Pick<Validation, 'subject' | 'laneId' | 'attemptId' | 'sha' | 'tree' | 'specHash'>,
    Omit<CleanTreeWish, 'cwd'> {
  readonly command: ValidationCommand;
  /** Of the lane; by default that of the commit. */
  readonly setupHash?: string;
  /** Where the work started; `undefined`: every failure is new. */
  readonly base: { readonly sha: string } | undefined;
  readonly removesTests: 'no' | 'declared';
  /** Roots of working trees with files that are in no commit. */
  readonly trees: readonly string[];
  /** The holder of the slot, as shown to people. */
  readonly owner: string;
  /** How many validations may run at once on this machine; derived from the machine by default. */
  readonly slots?: number | undefined;
}

/** @throws if it is aborted, or a disk is full. Nothing is stored then, since there is no verdict. */
export async function validateCommit(
  context: LaneContext,
  wish: CommitToValidate,
): Promise<Validation> {
  const id = newId(context.now());
  makePrivateFolder(wish.dir);
  const { priority, owner, signal } = wish;
  const count = wish.slots ?? defaultSlots().validate;
  const locks = locksOf(context.store.home);
  const slot = await waitForSlot(locks, { kind: 'validate', count, priority, owner }, signal);
  try {
    const { runs, baseline, testsRemoved } = await findings(context, wish, id);
    signal.throwIfAborted();
    const removal = wish.removesTests === 'declared' ? 'declared' : 'undeclared';
    const judgement = judge({ runs, baseline, testsRemoved, removal });
    return store(context, wish, id, runs, judgement);
  } finally {
    slot.release();
  }
}

/** A failure that the base does not explain is run again, since it may be flaky. */
async function findings(context: LaneContext, wish: CommitToValidate, id: string) {
  const git = gitIn(wish.run.repository, context.env, { timeoutMs: GIT_MS });
  const { base } = wish;
  const testsRemoved = base === undefined ? [] : await removedTests(git, base.sha, wish.sha);
  const first = await runOnce(context, wish, wish.sha, `validate-${id}-1.log`);
  const { setupHash } = first;
  const baseline = needsBaseline([first], testsRemoved)
    ? await baselineOf(context, { ...wish, setupHash: wish.setupHash ?? setupHash })
    : undefined;
  if (!needsRerun(first, [], baseline)) return { runs: [first], baseline, testsRemoved };
  const second = await runOnce(context, wish, wish.sha, `validate-${id}-2.log`);
  return { runs: [first, second], baseline, testsRemoved };
}

interface CommitRun extends ValidationRun {
  readonly setupHash: string;
  readonly envHash: string;
  /** Files that it speaks of and that are in no commit. */
  readonly absent: readonly string[];
}

/** Each run has a checkout of its own: what one leaves behind would change the next. */
async function runOnce(
  context: LaneContext,
  wish: CommitToValidate,
  sha: string,
  name: string,
): Promise<CommitRun> {
  const { command, signal, dir } = wish;
  signal.throwIfAborted();
  return inCleanTree(context, { ...wish, cwd: command.cwd }, sha, async (tree) => {
    const { root, env, setupHash } = tree;
    const cwd = join(root, command.cwd);
    const logFile = join(dir, name);
    const folder = `${logFile}.reports`;
    const here = { command: command.cmd, cwd, env: { ...env, PWD: cwd } };
    const reports = await askForReports({ ...here, root, folder });
    const run = await runValidation({
      ...{ ...here, env: { ...here.env, ...reports?.env }, reports, logFile, signal },
      timeoutMs: command.timeoutS * 1000,
      git: gitIn(root, env),
    });
    rmSync(folder, { recursive: true, force: true });
    signal.throwIfAborted();
    const facts = { setupHash, envHash: environmentHash(env) };
    if (run.result === 'pass') return { ...run, ...facts, absent: [] };
    assertDiskSpace([root, dir]);
    const where = { trees: wish.trees, root, log: run.logPath };
    return { ...run, ...facts, absent: await absentFiles(where, context.env) };
  });
}

/** The failures of the base; run once for each base, command and setup. */
async function baselineOf(
  context: LaneContext,
  wish: CommitToValidate,
): Promise<Baseline | undefined> {
  const { base, command, setupHash = '' } = wish;
  if (base === undefined || base.sha === wish.sha) return undefined;
  const validations = laneValidationStore(context.store);
  const key = { subject: 'base', sha: base.sha, cmdHash: command.cmdHash, setupHash } as const;
  let known = validations.last(key);
  try {
    known ??= await validateBase(context, wish, base.sha);
  } catch (error) {
    // A base that cannot be set up explains nothing.
    if (!(error instanceof SetupFailedError)) throw error;
    return undefined;
  }
  return { result: known.result, failures: known.newFailures ?? [] };
}

async function validateBase(
  context: LaneContext,
  wish: CommitToValidate,
  sha: string,
): Promise<Validation> {
  const id = newId(context.now());
  const runs = [await runOnce(context, wish, sha, `validate-${id}-base.log`)];
  const judgement = judge({ runs, baseline: undefined, testsRemoved: [] });
  const content = await treeOf(gitIn(wish.run.repository, context.env), sha);
  const subject = { subject: 'base', laneId: null, specHash: null, sha, tree: content } as const;
  return store(context, { ...wish, ...subject }, id, runs, judgement);
}

/** Long enough for a large history. */
const GIT_MS = 120_000;

function store(
  context: LaneContext,
  wish: CommitToValidate,
  id: string,
  runs: readonly CommitRun[],
  { verdict, rejection, newFailures, oldFailures, flags, why }: Judgement,
): Validation {
  const records = runs.map(({ result, exitCode, durationMs, logPath, logSha256, tests }) => {
    const { executed, passed } = tests ?? {};
    const counts = executed === undefined || passed === undefined ? {} : { executed, passed };
    return { result, exitCode, durationMs, logPath, logSha256, ...counts };
  });
  const deciding = records.findLast(({ result }) => result === verdict) ?? records.at(-1);
  if (deciding === undefined) throw new Error('a validation without a run');
  const { subject, laneId, attemptId, sha, tree, specHash } = wish;
  const [{ setupHash: ofTree = '', envHash = '' } = {}] = runs;
  const setupHash = wish.setupHash ?? ofTree;
  const { cmd, cwd, cmdHash } = wish.command;
  const runId = wish.run.id;
  const validation: Validation = {
    ...{ id, runId, subject, laneId, attemptId, sha, tree, cmd, cwd, cmdHash, setupHash, specHash },
    envHash,
    ...deciding,
    result: verdict,
    runs: records,
    newFailures,
    oldFailures,
    flags: rejection === 'tests_removed' ? [...flags, TESTS_REMOVED] : flags,
    why: withAbsent(why, runs),
    host: hostname(),
    at: context.now(),
  };
  const data = { id, subject, sha, result: verdict };
  const event = { runId, laneId, attemptId, type: 'validation', data, by: 'lanehold' };
  context.store.write(() => {
    laneValidationStore(context.store).add(validation);
    laneEventStore(context.store).add(event, context.now());
  });
  return validation;
}

function withAbsent(why: string, runs: readonly CommitRun[]): string {
  const paths = [...new Set(runs.flatMap(({ absent }) => absent))];
  if (paths.length === 0) return why;
  const names = enumerated(
    paths.map((path) => `\`${path}\``),
    paths.length,
  );
  return `${why}; in no commit: ${names} (what the tests need of it belongs in .worktreeinclude, or in the setup)`;
}
