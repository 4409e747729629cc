/** Creates runs. */
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { type Git, reasonIn } from '../../base/git/git.ts';
import { CHECKOUT_MS } from '../../base/git/git-in.ts';
import { checkedOutBranch, isAncestor, refAt } from '../../base/git/plumbing.ts';
import { commitOf, refsAsTheyAre } from '../../base/git/refs.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { onNetworkFileSystem } from '../../base/process/network-file-system.ts';
import { defaultSlots } from '../../base/process/slots.ts';
import { shortRef } from '../../base/text/printable.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { LaneSettings } from '../../lanes/settings/settings.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import { assertName, nameFrom } from '../../lanes/spec/names.ts';
import { lastSeen, noteTarget } from '../../lanes/stand/taken-out.ts';
import { assertNoBranchAbove } from '../../lanes/tree/create.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type Run, type RunPolicy, runStore } from '../../store/lanes.ts';

export interface NewRunWish {
  readonly goal: string;
  readonly name?: string | undefined;
  /** The commit from which lanes start; HEAD by default. */
  readonly base?: string | undefined;
  /** Whether the base, a branch of a remote, is fetched first. */
  readonly fetch?: boolean;
  /** The branch that `land` moves; the checked-out one by default. */
  readonly target?: string | undefined;
}

export const policyBy = (settings: LaneSettings): RunPolicy => ({
  parallel: settings.parallel ?? defaultSlots().worker,
  attempts: settings.attempts,
  onLimit: settings.onLimit,
  laneBudget: settings.budget,
  runBudget: settings.runBudget,
  dayBudget: settings.dayBudget,
});

export async function createRun(
  context: LaneContext,
  workspace: Workspace,
  wish: NewRunWish & Pick<Run, 'policy'> & { readonly by: string },
): Promise<Run> {
  const { git, place, projectId } = workspace;
  if (git === undefined || place.kind === 'folder') {
    throw new ExplainedError('lanes need a git repository', {
      hint: 'run `git init` and make a first commit, or change to a repository',
    });
  }
  if (wish.goal.trim() === '') {
    throw new UsageError('a run needs a goal', { hint: "say it in a sentence: init 'Move to …'" });
  }
  assertLocalState(context);
  const base = wish.base ?? 'HEAD';
  if (wish.fetch) await fetchBranch(git, base);
  const baseSha = await commitOf(git, base);
  const targetRef = await targetOf(git, wish.target);
  await assertNoBranchAbove(git, `lanehold/${wish.name ?? nameFrom(wish.goal)}/lane`);
  const [main] = await listWorktrees(git);
  const targetSha = await refAt(git, targetRef);
  const now = context.now();
  const id = newId(now);
  const begun = context.store.write(() => {
    const runs = runStore(context.store);
    // Names of ended runs count too, because branches and worktrees of their lanes contain them.
    const taken = runs.all(projectId).map((run) => run.name);
    const name = wish.name ?? freeName(nameFrom(wish.goal), taken);
    assertName('run', name);
    if (taken.includes(name)) {
      throw new UsageError(`there is a run named \`${name}\` already`, {
        hint: `see it with \`lanehold orchestrate status --run ${name}\`, or give another --name`,
      });
    }
    const run: Run = {
      id,
      projectId,
      name,
      goal: wish.goal,
      // A bare repository is its own main checkout.
      repository: main?.path ?? place.root,
      commonDir: place.identity,
      baseSha,
      targetRef,
      integrationRef: `refs/lanehold/${id}/integration`,
      intent: 'active',
      pauseReason: null,
      policy: wish.policy,
      createdBy: wish.by,
      createdAt: now,
    };
    runs.add(run);
    const data = { name, baseSha, targetRef };
    const created = { runId: id, type: 'run.created', data, by: wish.by };
    laneEventStore(context.store).add(created, now);
    return run;
  });
  if (targetSha !== undefined) noteTarget(context, begun, targetSha);
  return begun;
}

/** @param name a remote-tracking branch, which may not exist yet. */
async function fetchBranch(git: Git, name: string): Promise<void> {
  const short = name.replace(/^refs\/remotes\//, '');
  const { remotes } = await refsAsTheyAre(git, []);
  const [remote] = remotes
    .filter((it) => short.startsWith(`${it}/`))
    .sort()
    .reverse();
  if (remote === undefined) {
    throw new UsageError(`\`${name}\` is no branch of a remote, so it cannot be fetched`, {
      hint: 'name one, such as `--base origin/main --fetch`',
    });
  }
  const branch = short.slice(remote.length + 1);
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules'];
  const refspec = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
  const network = git.at(git.directory, { network: true, timeoutMs: CHECKOUT_MS });
  const { exitCode, stderr } = await network.attempt([...args, '--', remote, refspec]);
  if (exitCode === 0) return;
  throw new ExplainedError(`cannot fetch ${branch} of ${remote}: ${reasonIn(stderr)}`, {
    hint: `\`git fetch ${remote}\` says more; without --fetch the run begins at what is here`,
  });
}

/** Refuses a network file system, on which locks are not reliable. */
function assertLocalState({ store }: LaneContext): void {
  const { root } = store.home;
  if (!onNetworkFileSystem(root)) return;
  throw new ExplainedError(`${root} is on a network file system, where locks cannot be trusted`, {
    hint: 'set LANEHOLD_HOME to a folder on a local disk',
  });
}

/**
 * Changes the branch on which the run lands, after its own was renamed.
 *
 * @throws {UsageError} if that branch lacks the target's commits.
 */
export async function retarget(
  context: LaneContext,
  run: Run,
  { to: named, by }: { readonly to: string; readonly by: string },
): Promise<Run> {
  const { store, now } = context;
  const git = gitOfRun(context, run);
  const to = await targetOf(git, named);
  if (to === run.targetRef) return run;
  const had = lastSeen(context, run) ?? run.baseSha;
  if (!(await isAncestor(git, had, to))) {
    const from = `${shortRef(run.targetRef)} (${had.slice(0, 12)})`;
    throw new UsageError(`${shortRef(to)} has not what ${from} had`, {
      hint: `merge it there first: \`git merge ${had.slice(0, 12)}\``,
    });
  }
  store.write(() => {
    runStore(store).setTarget(run.id, to);
    const data = { from: run.targetRef, to };
    laneEventStore(store).add({ runId: run.id, type: 'run.retargeted', data, by }, now());
  });
  return { ...run, targetRef: to };
}

async function targetOf(git: Git, named: string | undefined): Promise<string> {
  if (named === undefined) {
    const head = await checkedOutBranch(git);
    if (head !== undefined) return head;
    throw new UsageError('no branch is checked out, so there is nothing to land on', {
      hint: 'name the branch with --target',
    });
  }
  const full = named.startsWith('refs/') ? named : `refs/heads/${named}`;
  if (full.startsWith('refs/heads/') && (await refAt(git, full)) !== undefined) return full;
  throw new UsageError(`there is no branch \`${named}\``, { hint: 'see `git branch`' });
}

function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let n = 2; taken.includes(free); n += 1) free = `${name}-${n}`;
  return free;
}
