/**
 * The validation of one commit, from the wait for a slot to the stored verdict: a run, a second run
 * if it failed, and a run on the base to tell old failures from new ones.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailedError } from '../../checkout/setup.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { type Git, gitIn, UNATTENDED } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { newId } from '../../store/ids.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { enumerated } from '../../text/count.ts';
import type { LaneContext } from '../context.ts';
import { assertDiskSpace } from '../disk-space.ts';
import { flagText } from '../flags.ts';
import { locksOf } from '../paths.ts';
import { absentFiles } from './absent-files.ts';
import { type CleanTreeWish, inCleanTree } from './clean-tree.ts';
import { environmentHash } from './command-hash.ts';
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
    const { runs, baseline, testsRemoved } = await findings(context, wish, id);
    signal.throwIfAborted();
    const removal = wish.removesTests === 'declared' ? 'declared' : 'undeclared';
    const judgement = judge({ runs, baseline, testsRemoved, removal });
    const flags = judgement.flags.map((flag) => {
      if (flag !== 'tests_removed') return flag;
      return flagText(removal === 'declared' ? 'tests_removed_as_declared' : flag, testsRemoved);
    });
    const found = { runs, judgement: { ...judgement, flags } };
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
  const first = await runOnce(context, wish, wish.sha, `validate-${id}-1.log`);
  const { setupHash } = first;
  const baseline = needsBaseline([first], testsRemoved)
    ? await baselineOf(context, { ...wish, setupHash: wish.setupHash ?? setupHash })
    : undefined;
  if (!needsRerun(first, [], baseline)) return { runs: [first], baseline, testsRemoved };
  const second = await runOnce(context, wish, wish.sha, `validate-${id}-2.log`);
  return { runs: [first, second], baseline, testsRemoved };
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
  return recordVerdict(context, { ...wish, ...subject }, id, runs, judgement);
}

/** Long enough for a large history. */
const GIT_MS = 120_000;
