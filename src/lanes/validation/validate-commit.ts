/**
 * The validation of one commit, from the wait for a slot to the stored verdict: a run, a second run
 * if it failed, and a run on the base to tell old failures from new ones.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailedError } from '../../checkout/setup.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { type Git, gitIn, UNATTENDED } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { newId } from '../../store/ids.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { enumerated } from '../../text/count.ts';
import type { LaneContext } from '../model/context.ts';
import { flagText } from '../model/flags.ts';
import { locksOf } from '../model/paths.ts';
import { assertDiskSpace } from '../scheduler/disk-space.ts';
import { absentFiles } from './absent-files.ts';
import { type CleanTreeWish, inCleanTree } from './clean-tree.ts';
import { environmentHash } from './command-hash.ts';
import { flakyTests, flakyWords } from './flaky.ts';
import { type Baseline, judge, needsBaseline, needsRerun } from './judge.ts';
import { changedProof } from './proof.ts';
import { type CommitRun, type Judged, recordVerdict, type VerdictToStore } from './record.ts';
import { removedTests } from './removed-tests.ts';
import { askForReports } from './reports/reports.ts';
import { runValidation } from './run-validation.ts';

interface CommitToValidate extends Judged, Omit<CleanTreeWish, 'cwd'> {
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
    const { all, testsRemoved, ...rest } = await findings(context, wish, id);
    signal.throwIfAborted();
    const removal = wish.removesTests === 'declared' ? 'declared' : 'undeclared';
    const judgement = judge({ ...rest, testsRemoved, removal });
    const flaky = flakyTests(rest.runs).map(flakyWords);
    const flags = judgement.flags.map((flag) => {
      if (flag !== 'tests_removed') return flag;
      return flagText(removal === 'declared' ? 'tests_removed_as_declared' : flag, testsRemoved);
    });
    if (flaky.length > 0) flags.push(flagText('flaky-tests', flaky));
    const found = { runs: all, judgement: { ...judgement, flags } };
    const proved = await withBaseProof(context, wish, id, found);
    return recordVerdict(context, wish, id, proved.runs, proved.judgement);
  } finally {
    slot.release();
  }
}

/** A failure that the base does not explain is run again, since it may be flaky. */
async function findings(context: LaneContext, wish: CommitToValidate, id: string) {
  const git = gitIn(wish.run.repository, context.env, { timeoutMs: GIT_MS });
  const { base } = wish;
  const testsRemoved = base === undefined ? [] : await removedTests(git, base.sha, wish.sha);
  const logOf = (n: number) => `validate-${id}-${n}.log`;
  const all = await runUntilTold(context, wish, wish.sha, logOf);
  const runs = all.slice(-1);
  const [first] = runs as [CommitRun];
  const based = { ...wish, setupHash: wish.setupHash ?? first.setupHash };
  const baseline = needsBaseline(runs, testsRemoved) ? await baselineOf(context, based) : undefined;
  const found = { all, runs, baseline, testsRemoved, flakyOnBase: [] as readonly string[] };
  if (!needsRerun(first, [], baseline)) return found;
  const second = await runOnce(context, wish, wish.sha, logOf(all.length + 1));
  const both = { ...found, all: [...all, second] };
  // A kill is no result: the failure stands.
  if (second.result !== 'pass' && second.result !== 'fail') return both;
  const isSteady = second.result === first.result;
  const flakyOnBase = isSteady ? [] : await flakyOf(context, based, first.failures);
  return { ...both, runs: [first, second], flakyOnBase };
}

/** Pauses before a validation that says nothing runs again. */
const AGAIN_AFTER_MS = [0, 3_000];

/** What was killed, ran out of time or crashed says nothing: it runs again, twice at most. */
async function runUntilTold(
  context: LaneContext,
  wish: CommitToValidate,
  sha: string,
  logOf: (n: number) => string,
): Promise<CommitRun[]> {
  const runs = [await runOnce(context, wish, sha, logOf(1))];
  for (const pauseMs of AGAIN_AFTER_MS) {
    if (runs.at(-1)?.broken !== true) break;
    await sleep(pauseMs, undefined, { signal: wish.signal });
    runs.push(await runOnce(context, wish, sha, logOf(runs.length + 1)));
  }
  return runs;
}

/** How often the base runs in all, to see whether it is flaky as well. */
const BASE_RUNS = 3;

/** Which of these tests pass and fail on the base, too. A test that the base does not have is not among them. */
async function flakyOf(
  context: LaneContext,
  wish: CommitToValidate & { readonly setupHash: string },
  names: readonly string[],
): Promise<readonly string[]> {
  const { base, command, setupHash } = wish;
  if (base === undefined || base.sha === wish.sha || names.length === 0) return [];
  const key = { sha: base.sha, cmdHash: command.cmdHash, setupHash };
  const known = () =>
    laneValidationStore(context.store)
      .ofCommit(key)
      .flatMap(({ runs }) => runs);
  const found = () => {
    const flaky = new Set(flakyTests(known()).map(({ name }) => name));
    return names.filter((name) => flaky.has(name));
  };
  while (found().length < names.length && known().length < BASE_RUNS) {
    await validateBase(context, wish, base.sha);
  }
  return found();
}

interface Found {
  readonly runs: readonly CommitRun[];
  readonly judgement: VerdictToStore;
}

/** A lane that has changed its own proof has to pass with that of the base as well. */
async function withBaseProof(
  context: LaneContext,
  wish: CommitToValidate,
  id: string,
  found: Found,
): Promise<Found> {
  const { base, command, sha, run } = wish;
  const { runs, judgement } = found;
  if (wish.subject !== 'lane' || base === undefined || judgement.verdict !== 'pass') return found;
  const git = gitIn(run.repository, context.env, { timeoutMs: GIT_MS });
  const proof = await changedProof(context, { run, git, base: base.sha, sha, command });
  if (proof.changed.length === 0) return found;
  const flags = [...judgement.flags, flagText('proof-changed', proof.changed)];
  const flagged = { runs, judgement: { ...judgement, flags } };
  if (proof.ran.length === 0) return flagged;
  const old = { from: base.sha, paths: proof.ran };
  const again = await runOnce(context, wish, sha, `validate-${id}-proof.log`, old);
  const all = [...runs, again];
  const setupHash = wish.setupHash ?? again.setupHash;
  const baseline = needsBaseline([again], [])
    ? await baselineOf(context, { ...wish, setupHash })
    : undefined;
  const { verdict, why, rejection, newFailures } = judge({
    ...{ runs: [again], baseline, testsRemoved: [] },
  });
  if (verdict === 'pass') return { ...flagged, runs: all };
  const names = enumerated(proof.ran, MOST_NAMES);
  const reason = `with ${names} of the base: ${why}`;
  if (wish.removesTests === 'declared') {
    const both = [...flags, flagText('base-proof-failed', proof.ran)];
    return {
      runs: all,
      judgement: { ...judgement, flags: both, why: `${judgement.why}; ${reason}` },
    };
  }
  return {
    runs: all,
    judgement: { ...judgement, verdict, rejection, newFailures, flags, why: reason },
  };
}

const MOST_NAMES = 5;

/** Each run has a checkout of its own: what one leaves behind would change the next. */
async function runOnce(
  context: LaneContext,
  wish: CommitToValidate,
  sha: string,
  name: string,
  /** Files that are taken from another commit. */
  old?: { readonly from: string; readonly paths: readonly string[] },
): Promise<CommitRun> {
  const { command, signal, dir } = wish;
  signal.throwIfAborted();
  return inCleanTree(context, { ...wish, cwd: command.cwd }, sha, async (tree) => {
    const { root, env, setupHash } = tree;
    if (old !== undefined) await takeFrom(gitIn(root, context.env), old);
    const cwd = join(root, command.cwd);
    const logFile = join(dir, name);
    const folder = `${logFile}.reports`;
    const here = { command: command.cmd, cwd, env: { ...env, PWD: cwd } };
    const reports = await askForReports({ ...here, root, folder });
    const run = await runValidation({
      ...{ ...here, env: { ...here.env, ...reports?.env }, reports, logFile, signal },
      timeoutMs: command.timeoutS * 1000,
      git: gitIn(root, context.env),
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

/** Files that the other commit does not have are removed. */
async function takeFrom(git: Git, { from, paths }: { from: string; paths: readonly string[] }) {
  const pathspecs = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const restore = ['restore', '--quiet', '--staged', '--worktree', `--source=${from}`];
  const args = [...UNATTENDED, '--literal-pathspecs', ...restore, ...pathspecs];
  await git.text(args, paths.map((path) => `${path}\0`).join(''));
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
  // It may go well this time.
  if (known?.result === 'error' || known?.result === 'timeout') known = undefined;
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
  const runs = await runUntilTold(context, wish, sha, (n) => `validate-${id}-base-${n}.log`);
  const judgement = judge({ runs: runs.slice(-1), baseline: undefined, testsRemoved: [] });
  const content = await treeOf(gitIn(wish.run.repository, context.env), sha);
  const subject = { subject: 'base', laneId: null, specHash: null, sha, tree: content } as const;
  return recordVerdict(context, { ...wish, ...subject }, id, runs, judgement);
}

/** Long enough for a large history. */
const GIT_MS = 120_000;
