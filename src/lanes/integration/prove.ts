/** Whether a commit passes the validations of all lanes that are in it. */

import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workerEnvironment } from '../../agents/worker/environment.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn, UNATTENDED } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { projectPlace } from '../../git/project.ts';
import { listWorktrees } from '../../git/worktrees.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { leasePorts } from '../../process/ports.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { locksOf, worktreesRoot } from '../paths.ts';
import { settingsFor } from '../settings-for.ts';
import { validateCommit } from '../validation/validate-commit.ts';
import {
  assertPlace,
  linkedGitDir,
  refused,
  repositoryGit,
  worktreePlace,
} from '../worktree/place.ts';
import { SetupFailedError } from '../worktree/setup.ts';
import { withWorktreesLock } from '../worktree/with-lock.ts';
import type { ProofCommand } from './commands.ts';
import {
  purposeDir,
  purposeFolder,
  purposeMarker,
  purposeReason,
  type TreePurpose,
} from './purpose.ts';
import { gitOfRun } from './repository.ts';
import { setUpTree, setupOf } from './set-up-tree.ts';

export type Proof =
  /** The passed validations, by the hash of their command. */
  | { readonly kind: 'pass'; readonly by: ReadonlyMap<string, Validation> }
  | { readonly kind: 'fail'; readonly validation: Validation }
  /** It could not be run, or it is flaky: no lane is to blame. */
  | { readonly kind: 'unclear'; readonly why: string; readonly validation: Validation | undefined };

export interface Question {
  readonly context: LaneContext;
  readonly run: Run;
  readonly purpose: TreePurpose;
  readonly sha: string;
  readonly commands: readonly ProofCommand[];
  /** The commit whose failures do not count as new. */
  readonly base: string;
  /** `commit`: needs a pass of exactly this commit; `content`: a verdict on the same tree is enough. */
  readonly evidence: 'commit' | 'content';
  readonly priority: number;
  /** How many validations may run at once on this machine; derived from the machine by default. */
  readonly slots?: number | undefined;
  readonly signal: AbortSignal;
}

/** Reuses known verdicts. Stops at the first command that does not pass. */
export async function prove(question: Question): Promise<Proof> {
  const { context, run, sha } = question;
  const tree = await treeOf(gitOfRun(context, run), sha);
  const passed = new Map<string, Validation>();
  for (const command of question.commands) {
    const validation = known(question, tree, command) ?? (await tried(question, tree, command));
    if (typeof validation === 'string') {
      return { kind: 'unclear', why: validation, validation: undefined };
    }
    if (validation.result === 'fail' || validation.result === 'timeout') {
      return { kind: 'fail', validation };
    }
    if (validation.result !== 'pass') {
      return { kind: 'unclear', why: unclearText(validation), validation };
    }
    passed.set(command.cmdHash, validation);
  }
  return { kind: 'pass', by: passed };
}

/** For a commit that moves the tip only a pass is reused: a failure may have had another cause. */
function known(
  { context, run, sha, evidence }: Question,
  tree: string,
  { cmdHash }: ProofCommand,
): Validation | undefined {
  const verdicts = laneValidationStore(context.store).ofRun(run.id);
  const ofCommand = verdicts.filter((it) => it.cmdHash === cmdHash);
  if (evidence === 'content') {
    const last = ofCommand.findLast((it) => it.tree === tree);
    return last?.result === 'pass' || last?.result === 'fail' ? last : undefined;
  }
  const last = ofCommand.findLast((it) => it.sha === sha && it.subject === 'integration');
  return last?.result === 'pass' ? last : undefined;
}

/** A failed setup says nothing about the tests, so there is no verdict. */
async function tried(
  question: Question,
  tree: string,
  command: ProofCommand,
): Promise<Validation | string> {
  try {
    return await validate(question, tree, command);
  } catch (error) {
    if (error instanceof SetupFailedError) return error.message;
    throw error;
  }
}

function unclearText({ cmd, result, why, exitCode }: Validation): string {
  const how =
    result === 'flaky'
      ? 'passes and fails on the same commit'
      : `could not be run${exitCode === null ? '' : ` (exit code ${exitCode})`}`;
  return `\`${cmd}\` ${how}${why === '' ? '' : `: ${why}`}`;
}

async function validate(
  question: Question,
  tree: string,
  command: ProofCommand,
): Promise<Validation> {
  const { context, run, purpose, sha, base, priority, signal } = question;
  signal.throwIfAborted();
  const { home } = context.store;
  const locks = locksOf(home);
  const settings = await settingsFor(context, run.repository);
  const marker = purposeMarker(purpose, run);
  // Processes of a killed validation would write into the tree that is to be judged.
  await endMarkedProcesses(marker, { graceMs: GRACE_MS });
  const worktree = await checkOut(context, run, purpose, { sha, worktrees: settings.worktrees });
  makePrivateFolder(locks);
  const lease = await leasePorts(locks, command.ports, []);
  const dir = purposeDir(home, purpose, run);
  const place = {
    ...{ attempt: marker, lane: '', run: run.id, worktree },
    ...{ home: home.root, ports: lease.ports },
  };
  const setup = {
    ...{ run, settings, dir, signal, place },
    command: command.setup ?? settings.setup,
  };
  try {
    await setUpTree(context, setup);
    return await validateCommit(context, {
      ...{ run, laneId: null, attemptId: null, specHash: null },
      ...{ sha, tree, worktree, command, dir, priority, signal },
      subject: purpose,
      setupHash: await setupOf(context, setup, sha),
      base: { sha: base },
      // Removed tests were judged with the lane.
      removesTests: 'declared',
      env: workerEnvironment(context.env, { ...place, stage: 'validate' }),
      owner: `${purpose} of ${run.name}`,
      slots: question.slots ?? settings.slots.validate,
      prepareTree: (root) => setUpTree(context, { ...setup, place: { ...place, worktree: root } }),
    });
  } finally {
    lease.release();
    await endMarkedProcesses(marker, { graceMs: GRACE_MS });
  }
}

const GRACE_MS = 1_000;

/** Long enough for a large tree, and for filters that download content. */
const CHECKOUT_MS = 900_000;

/**
 * Checks out a merged commit to be validated. There is one scratch tree per run and purpose; its user
 * holds the lock of that purpose. Files of an earlier validation are removed, except for ignored ones.
 *
 * @param worktrees the configured root of all worktrees.
 * @returns the path of the tree.
 * @throws {WorktreeRefusedError} if something else is in the way.
 */
async function checkOut(
  context: LaneContext,
  run: Run,
  purpose: TreePurpose,
  { sha, worktrees }: { readonly sha: string; readonly worktrees: string | undefined },
): Promise<string> {
  const { store, env } = context;
  const repository = projectPlace(run.repository);
  const root = worktreesRoot(store.home, worktrees);
  const beside = worktreePlace({ root, repository, run: run.name, lane: 'any' });
  const path = join(dirname(beside), purposeFolder(purpose));
  if (!existsSync(join(path, '.git'))) {
    await withWorktreesLock(locksOf(store.home), repository, async () => {
      const git = repositoryGit(repository, env, CHECKOUT_MS);
      assertPlace({ path, root, repository }, await listWorktrees(git));
      makePrivateFolder(dirname(path));
      const reason = purposeReason(purpose, run);
      // Given twice: a tree that was deleted by hand is still registered, and locked.
      const lock = ['--force', '--force', '--lock', '--reason', reason];
      const add = ['worktree', 'add', '--quiet', '--detach', '--no-checkout', ...lock, path, sha];
      await git.text([...UNATTENDED, ...add]);
    });
  }
  const gitDir = linkedGitDir(path, repository);
  if (typeof gitDir !== 'string') throw refused(path, gitDir.why, 'move the folder away');
  // Left by a git process that was killed; the purpose's lock is held, so no other git runs here.
  rmSync(join(gitDir, 'index.lock'), { force: true });
  const git = gitIn(path, env, { network: true, timeoutMs: CHECKOUT_MS });
  await git.text([...UNATTENDED, 'checkout', '--quiet', '--force', '--detach', sha, '--']);
  await git.text([...UNATTENDED, 'clean', '-ffdq']);
  return path;
}
