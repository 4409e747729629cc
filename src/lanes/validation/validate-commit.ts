/**
 * The validation of one commit, from the wait for a slot to the stored verdict: a run, a second run
 * if it failed, and a run on the base to tell old failures from new ones.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn, UNATTENDED } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import {
  laneValidationStore,
  type Validation,
  type ValidationSubject,
} from '../../store/lane-validations.ts';
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

export interface ValidationCommand {
  readonly cmd: string;
  /** Relative to the root. */
  readonly cwd: string;
  readonly timeoutS: number;
  readonly cmdHash: string;
}

interface CommitToValidate {
  readonly run: Run;
  readonly subject: ValidationSubject;
  readonly laneId: string | null;
  readonly attemptId: string | null;
  readonly sha: string;
  readonly tree: string;
  /** Checked out at exactly `sha`. */
  readonly worktree: string;
  readonly command: ValidationCommand;
  readonly setupHash: string;
  readonly specHash: string | null;
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
  const slot = await waitForSlot(
    locksOf(context.store.home),
    {
      kind: 'validate',
      count: wish.slots ?? defaultSlots().validate,
      priority: wish.priority,
      owner: wish.owner,
    },
    wish.signal,
  );
  try {
    const found = await findings(context, wish, id);
    wish.signal.throwIfAborted();
    const { runs } = found;
    const removal = wish.removesTests === 'declared' ? 'declared' : 'undeclared';
    const judgement = judge({ ...found, removal });
    return store(context, wish, { id, runs, judgement });
  } finally {
    slot.release();
  }
}

/** A failure that the base does not explain is run again, since it may be flaky. */
async function findings(
  context: LaneContext,
  wish: CommitToValidate,
  id: string,
): Promise<Findings> {
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

interface Findings {
  readonly runs: readonly ValidationRun[];
  readonly baseline: Baseline | undefined;
  readonly testsRemoved: readonly string[];
}

async function runOnce(wish: CommitToValidate, root: string, name: string): Promise<ValidationRun> {
  wish.signal.throwIfAborted();
  try {
    const run = await runValidation({
      command: wish.command.cmd,
      cwd: join(root, wish.command.cwd),
      env: { ...wish.env, PWD: join(root, wish.command.cwd) },
      timeoutMs: wish.command.timeoutS * 1000,
      logFile: join(wish.dir, name),
      signal: wish.signal,
      git: gitIn(root, wish.env),
    });
    wish.signal.throwIfAborted();
    if (run.result !== 'pass') assertDiskSpace([root, wish.dir]);
    return run;
  } finally {
    await endStrays(wish);
  }
}

/** A server left running would answer the next run on the same port. */
async function endStrays({ attemptId }: CommitToValidate): Promise<void> {
  if (attemptId !== null)
    await endMarkedProcesses(attemptId, { stages: ['validate'], graceMs: GRACE_MS });
}

interface Ran {
  readonly id: string;
  readonly runs: readonly ValidationRun[];
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
  const known = validations.last(key) ?? (await validateBase(context, wish, base.sha));
  return { result: known.result, failures: known.newFailures ?? [] };
}

async function validateBase(
  context: LaneContext,
  wish: CommitToValidate,
  sha: string,
): Promise<Validation> {
  return await withBaseTree(
    context,
    { worktree: wish.worktree, sha, dir: wish.dir },
    async (root) => {
      const id = newId(context.now());
      const run = await runOnce({ ...wish, worktree: root }, root, `validate-${id}-base.log`);
      const judgement = judge({ runs: [run], baseline: undefined, testsRemoved: [] });
      const tree = await treeOf(gitIn(root, context.env), sha);
      const subject = {
        ...wish,
        subject: 'base',
        laneId: null,
        specHash: null,
        sha,
        tree,
      } as const;
      return store(context, subject, { id, runs: [run], judgement });
    },
  );
}

function store(
  context: LaneContext,
  wish: CommitToValidate,
  { id, runs, judgement }: Ran & { readonly judgement: Judgement },
): Validation {
  const deciding = runs.findLast(({ result }) => result === judgement.verdict) ?? runs.at(-1);
  if (deciding === undefined) throw new Error('a validation without a run');
  const validation: Validation = {
    id,
    runId: wish.run.id,
    subject: wish.subject,
    laneId: wish.laneId,
    attemptId: wish.attemptId,
    sha: wish.sha,
    tree: wish.tree,
    cmd: wish.command.cmd,
    cwd: wish.command.cwd,
    cmdHash: wish.command.cmdHash,
    setupHash: wish.setupHash,
    specHash: wish.specHash,
    envHash: environmentHash(wish.env),
    result: judgement.verdict,
    exitCode: deciding.exitCode,
    durationMs: deciding.durationMs,
    logPath: deciding.logPath,
    logSha256: deciding.logSha256,
    runs: runs.map(({ result, exitCode, durationMs, logPath, logSha256 }) => {
      return { result, exitCode, durationMs, logPath, logSha256 };
    }),
    newFailures: judgement.newFailures,
    oldFailures: judgement.oldFailures,
    flags:
      judgement.rejection === 'tests_removed'
        ? [...judgement.flags, TESTS_REMOVED]
        : judgement.flags,
    why: judgement.why,
    host: hostname(),
    at: context.now(),
  };
  const { laneId, attemptId } = wish;
  context.store.write(() => {
    laneValidationStore(context.store).add(validation);
    laneEventStore(context.store).add(
      {
        runId: wish.run.id,
        ...{ laneId, attemptId },
        type: 'validation',
        data: { id, subject: wish.subject, sha: wish.sha, result: validation.result },
        by: 'lanehold',
      },
      context.now(),
    );
  });
  return validation;
}

interface BaseTree {
  /** Any working tree of the repository. */
  readonly worktree: string;
  readonly sha: string;
  /** The folder in which the tree is made. */
  readonly dir: string;
}

async function withBaseTree<T>(
  { env }: LaneContext,
  { worktree, sha, dir }: BaseTree,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const git = gitIn(worktree, env);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const folder = join(mkdtempSync(join(dir, 'base-')), 'tree');
  const worktreeCommand = [...UNATTENDED, 'worktree'];
  try {
    await git.text([...worktreeCommand, 'add', '--quiet', '--detach', folder, sha]);
    return await work(folder);
  } finally {
    await git.maybe([...worktreeCommand, 'remove', '--force', '--force', folder], [1, 128]);
    rmSync(join(folder, '..'), { recursive: true, force: true });
    await git.maybe([...worktreeCommand, 'prune'], [1, 128]);
  }
}
