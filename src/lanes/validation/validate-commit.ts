/**
 * The validation of one commit, from the wait for a slot to the stored verdict: a run, a second run
 * if it failed, and a run on the base to tell old failures from new ones.
 */

import { hostname } from 'node:os';
import { join } from 'node:path';
import { SetupFailedError } from '../../checkout/setup.ts';
import { withTemporaryTree } from '../../checkout/temporary-tree.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { assertDiskSpace } from '../disk-space.ts';
import { locksOf } from '../paths.ts';
import { environmentHash } from './command-hash.ts';
import { type Baseline, type Judgement, judge, needsBaseline, needsRerun } from './judge.ts';
import { removedTests } from './removed-tests.ts';
import { runValidation, type ValidationRun } from './run-validation.ts';

const GRACE_MS = 500;

/** The flag of a verdict that rejects the work for removed tests. */
export const TESTS_REMOVED = 'rejected-for-removed-tests';

export interface ValidationCommand extends Pick<Validation, 'cmd' | 'cwd' | 'cmdHash'> {
  readonly timeoutS: number;
}

interface CommitToValidate
  extends Pick<
    Validation,
    'subject' | 'laneId' | 'attemptId' | 'sha' | 'tree' | 'setupHash' | 'specHash'
  > {
  readonly run: Run;
  /** Checked out at exactly `sha`. */
  readonly worktree: string;
  readonly command: ValidationCommand;
  /** Where the work started; `undefined`: every failure is new. */
  readonly base: { readonly sha: string } | undefined;
  readonly removesTests: 'no' | 'declared';
  readonly env: Readonly<Record<string, string>>;
  /** Absolute folder for the logs. */
  readonly dir: string;
  readonly priority: number;
  /** The holder of the slot, as shown to people. */
  readonly owner: string;
  /** How many validations may run at once on this machine; derived from the machine by default. */
  readonly slots?: number | undefined;
  /** Sets up another tree of the repository, so that the command can run in it. */
  readonly prepareTree?: (root: string, sha: string) => Promise<void>;
  readonly signal: AbortSignal;
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
  const git = gitIn(wish.worktree, context.env);
  const { base } = wish;
  const testsRemoved = base === undefined ? [] : await removedTests(git, base.sha, wish.sha);
  const first = await runOnce(wish, wish.worktree, `validate-${id}-1.log`);
  const baseline = needsBaseline([first], testsRemoved)
    ? await baselineOf(context, wish)
    : undefined;
  if (!needsRerun(first, [], baseline)) return { runs: [first], baseline, testsRemoved };
  const second = await runOnce(wish, wish.worktree, `validate-${id}-2.log`);
  return { runs: [first, second], baseline, testsRemoved };
}

async function runOnce(wish: CommitToValidate, root: string, name: string): Promise<ValidationRun> {
  const { command, env, signal } = wish;
  const cwd = join(root, command.cwd);
  signal.throwIfAborted();
  try {
    const run = await runValidation({
      ...{ command: command.cmd, cwd, env: { ...env, PWD: cwd }, signal },
      timeoutMs: command.timeoutS * 1000,
      logFile: join(wish.dir, name),
      git: gitIn(root, env),
    });
    signal.throwIfAborted();
    if (run.result !== 'pass') assertDiskSpace([root, wish.dir]);
    return run;
  } finally {
    // A server left running would answer the next run on the same port.
    const { attemptId } = wish;
    const strays = { stages: ['validate'], graceMs: GRACE_MS } as const;
    if (attemptId !== null) await endMarkedProcesses(attemptId, strays);
  }
}

/** The failures of the base; run once for each base, command and setup. */
async function baselineOf(
  context: LaneContext,
  wish: CommitToValidate,
): Promise<Baseline | undefined> {
  const { base, command, setupHash } = wish;
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

/** In a working tree that exists only meanwhile. */
async function validateBase(
  context: LaneContext,
  wish: CommitToValidate,
  sha: string,
): Promise<Validation> {
  const { worktree, dir, prepareTree } = wish;
  const id = newId(context.now());
  const git = gitIn(worktree, context.env, { network: true, timeoutMs: CHECKOUT_MS });
  const tree = { oid: sha, around: join(dir, 'base-'), name: 'tree' };
  return withTemporaryTree(git, tree, async (root) => {
    await prepareTree?.(root, sha);
    const runs = [await runOnce(wish, root, `validate-${id}-base.log`)];
    const judgement = judge({ runs, baseline: undefined, testsRemoved: [] });
    const content = await treeOf(gitIn(root, context.env), sha);
    const subject = { subject: 'base', laneId: null, specHash: null, sha, tree: content } as const;
    return store(context, { ...wish, ...subject }, id, runs, judgement);
  });
}

/** Long enough for a large tree, and for filters that download content. */
const CHECKOUT_MS = 900_000;

function store(
  context: LaneContext,
  wish: CommitToValidate,
  id: string,
  runs: readonly ValidationRun[],
  { verdict, rejection, newFailures, oldFailures, flags, why }: Judgement,
): Validation {
  const records = runs.map(({ result, exitCode, durationMs, logPath, logSha256 }) => {
    return { result, exitCode, durationMs, logPath, logSha256 };
  });
  const deciding = records.findLast(({ result }) => result === verdict) ?? records.at(-1);
  if (deciding === undefined) throw new Error('a validation without a run');
  const { subject, laneId, attemptId, sha, tree, setupHash, specHash } = wish;
  const { cmd, cwd, cmdHash } = wish.command;
  const runId = wish.run.id;
  const validation: Validation = {
    ...{ id, runId, subject, laneId, attemptId, sha, tree, cmd, cwd, cmdHash, setupHash, specHash },
    envHash: environmentHash(wish.env),
    ...deciding,
    result: verdict,
    runs: records,
    newFailures,
    oldFailures,
    flags: rejection === 'tests_removed' ? [...flags, TESTS_REMOVED] : flags,
    why,
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
