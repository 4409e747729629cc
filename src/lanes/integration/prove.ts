/** Whether a commit passes the validations of all lanes that are in it. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workerEnvironment } from '../../agents/worker/environment.ts';
import type { Setup } from '../../checkout/find-setups.ts';
import { copyIncluded } from '../../checkout/include.ts';
import { SetupFailedError, setupHash } from '../../checkout/setup.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn, UNATTENDED } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { projectPlace } from '../../git/project.ts';
import { listWorktrees } from '../../git/worktrees.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { leasePorts } from '../../process/ports.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { withWorktreesLock } from '../../store/with-lock.ts';
import type { LaneContext } from '../context.ts';
import { locksOf, worktreesRoot } from '../paths.ts';
import { settingsFor } from '../settings-for.ts';
import { type ValidationCommand, validateCommit } from '../validation/validate-commit.ts';
import {
  assertPlace,
  linkedGitDir,
  refused,
  repositoryGit,
  worktreePlace,
} from '../worktree/place.ts';
import { laneSetups, setUpInSlot } from '../worktree/setup.ts';
import {
  purposeDir,
  purposeFolder,
  purposeMarker,
  purposeReason,
  type TreePurpose,
} from './purpose.ts';
import { integratedRows } from './queue.ts';
import { gitOfRun } from './repository.ts';

export interface ProofCommand extends ValidationCommand {
  /** The lane's own setup command, in place of the project's. */
  readonly setup: string | undefined;
  readonly ports: number;
}

/** Each validation of these lanes once, in their order. */
export function proofCommands(lanes: readonly LaneView[]): ProofCommand[] {
  const found = new Map<string, ProofCommand>();
  for (const { validateCmd: cmd, validateCwd, validateTimeoutS, cmdHash, spec } of lanes) {
    if (cmd === null || found.has(cmdHash)) continue;
    const limits = { cwd: validateCwd, timeoutS: validateTimeoutS, ports: spec.ports };
    found.set(cmdHash, { cmd, cmdHash, setup: spec.setup, ...limits });
  }
  return [...found.values()];
}

/** The lanes whose work is in the tip, as they are now. */
export function lanesInside(context: LaneContext, run: Run): LaneView[] {
  const inside = new Set(integratedRows(context, run).map(({ laneId }) => laneId));
  return laneStore(context.store)
    .ofRun(run.id)
    .filter(({ id }) => inside.has(id));
}

/** Whether the tip passes the present validations of all lanes in it. */
export function isProved(context: LaneContext, run: Run, tip: string): boolean {
  const verdicts = verdictsOn(context, run, tip);
  return proofCommands(lanesInside(context, run)).every(
    ({ cmdHash }) => verdicts.findLast((it) => it.cmdHash === cmdHash)?.result === 'pass',
  );
}

function verdictsOn({ store }: LaneContext, run: Run, sha: string): Validation[] {
  return laneValidationStore(store)
    .ofRun(run.id)
    .filter((it) => it.sha === sha && it.subject === 'integration');
}

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
    try {
      const validation =
        known(question, tree, command) ?? (await validate(question, tree, command));
      const { result } = validation;
      if (result === 'fail' || result === 'timeout') return { kind: 'fail', validation };
      if (result !== 'pass') return { kind: 'unclear', why: unclearText(validation), validation };
      passed.set(command.cmdHash, validation);
    } catch (error) {
      // A failed setup says nothing about the tests, so there is no verdict.
      if (!(error instanceof SetupFailedError)) throw error;
      return { kind: 'unclear', why: error.message, validation: undefined };
    }
  }
  return { kind: 'pass', by: passed };
}

/** For a commit that moves the tip only a pass is reused: a failure may have had another cause. */
function known(
  { context, run, sha, evidence }: Question,
  tree: string,
  { cmdHash }: ProofCommand,
): Validation | undefined {
  if (evidence === 'commit') {
    const last = verdictsOn(context, run, sha).findLast((it) => it.cmdHash === cmdHash);
    return last?.result === 'pass' ? last : undefined;
  }
  const last = laneValidationStore(context.store)
    .ofRun(run.id)
    .findLast((it) => it.cmdHash === cmdHash && it.tree === tree);
  return last?.result === 'pass' || last?.result === 'fail' ? last : undefined;
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
  const { store, env } = context;
  const locks = locksOf(store.home);
  const settings = await settingsFor(context, run.repository);
  const marker = purposeMarker(purpose, run);
  // Processes of a killed validation would write into the tree that is to be judged.
  await endMarkedProcesses(marker, { graceMs: GRACE_MS });
  const worktree = await checkOut(context, run, purpose, { sha, worktrees: settings.worktrees });
  const dir = purposeDir(store.home, purpose, run);
  makePrivateFolder(dir);
  const lease = await leasePorts(locks, command.ports, []);
  const place = {
    ...{ attempt: marker, lane: '', run: run.id, worktree },
    ...{ home: store.home.root, ports: lease.ports },
  };
  const wanted = { ...settings, setup: command.setup ?? settings.setup };
  const setUp = async (root: string, commit: string): Promise<readonly Setup[]> => {
    if (run.repository !== run.commonDir) await copyIncluded(run.repository, root, env);
    const setups = await laneSetups({ worktree: root, commit, cwd: command.cwd }, run, wanted, env);
    const wish = { run, setups, settings, dir, signal, priority: 0 };
    await setUpInSlot(context, { ...wish, place: { ...place, worktree: root } });
    signal.throwIfAborted();
    return setups;
  };
  try {
    const setups = await setUp(worktree, sha);
    return await validateCommit(context, {
      ...{ run, laneId: null, attemptId: null, specHash: null },
      ...{ sha, tree, worktree, command, dir, priority, signal },
      subject: purpose,
      setupHash: await setupHash(gitOfRun(context, run), setups, sha),
      base: { sha: base },
      // Removed tests were judged with the lane.
      removesTests: 'declared',
      env: workerEnvironment(env, { ...place, stage: 'validate' }),
      owner: `${purpose} of ${run.name}`,
      slots: question.slots ?? settings.slots.validate,
      prepareTree: async (root, commit) => void (await setUp(root, commit)),
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
