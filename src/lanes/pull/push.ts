/** Pushes a branch after the gate's verdict, and never over commits that somebody else has pushed. */
import { actorOf } from '../../agents/actor.ts';
import { GitError, gitFailure } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { remoteMeant } from '../../base/git/remotes.ts';
import { hookGit } from '../../base/git/small-git.ts';
import { literally } from '../../base/text/pattern.ts';
import { shortRef } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { decidePush } from '../../gate/decide-push.ts';
import { askRemote } from '../../gate/git/ask-remote.ts';
import { pushRefusal } from '../../gate/push-refusal.ts';
import { decisionStore } from '../../store/decisions.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore, type Run } from '../../store/lanes.ts';
import { pullRequestStore } from '../../store/pull-requests.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { goneWords, takenOut } from '../stand/taken-out.ts';
import { ForgeError } from './forge.ts';

/** The gate's denial, with its way out. */
export class HeldPushError extends ForgeError {}

export const passOn = ({ store }: LaneContext, run: Run, commit: string) =>
  laneValidationStore(store)
    .ofRun(run.id)
    .findLast((it) => it.sha === commit && it.subject !== 'base' && it.result === 'pass');

/**
 * Whether lanehold has pushed the commit: it is the last noted push, or after a kill the planned one. An older commit
 * that is back was pushed by somebody else.
 */
export function isOurs(context: LaneContext, run: Run, branch: string, commit: string): boolean {
  const { store } = context;
  const pull = pullRequestStore(store)
    .ofRun(run.id)
    .findLast((it) => it.branch === branch);
  if (pull?.headSha === commit) return true;
  const lane = laneStore(store).byId(pull?.laneId ?? '');
  if (lane !== undefined && lane.headSha !== commit) return false;
  const pushed = laneEventStore(store).ofType(run.id, 'pull.pushed');
  const isNoted = pushed.some(({ data }) => data.number === pull?.number && data.sha === commit);
  return !isNoted && passOn(context, run, commit) !== undefined;
}

/**
 * Pushes a commit; does nothing if it is already there.
 *
 * @throws {HeldPushError} if the gate holds it.
 * @throws {ForgeError} if the remote branch has commits that the push lacks.
 * @throws {GitError} if the remote cannot be reached or refuses.
 */
export async function pushBranch(
  context: LaneContext,
  run: Run,
  { remote, branch, sha }: Readonly<Record<'remote' | 'branch' | 'sha', string>>,
): Promise<void> {
  const local = gitOfRun(context, run);
  const { git, address, ref, there } = await remoteBranch(context, run, remote, branch);
  if (there === sha) return;
  if (there !== undefined && !isOurs(context, run, branch, there)) {
    // A commit that is not in this repository is in no local one.
    const isIn = ['merge-base', '--is-ancestor', there, sha];
    if ((await local.maybe(isIn, [1, 128])) === undefined) {
      const fact = `${branch} at ${remote} has commits of somebody else (${there.slice(0, 12)})`;
      throw new ForgeError(fact, {
        hint: `nothing was overwritten; take them in: \`git fetch ${remote} ${branch}\`, or delete the branch there`,
      });
    }
  }
  const lines = `${sha} ${sha} ${ref} ${there ?? '0'.repeat(sha.length)}\n`;
  const gone = await (await takenOut(context, run, local))(sha);
  // Commits that a person has removed from the target, such as a secret, must not leave with a lane either.
  if (gone.length > 0) {
    const what = await goneWords(local, run, gone);
    throw new HeldPushError(
      `lanehold holds this push: it has ${what}\nhint: \`lanehold orchestrate integrate --run ${run.name}\` leaves it out; then \`lanehold orchestrate land --pr\``,
    );
  }
  await assertPasses(context, run, { remote, lines, address });
  const lease = `--force-with-lease=${ref}:${there ?? ''}`;
  const args = ['push', '--quiet', '--no-follow-tags', lease, '--', remote, `${sha}:${ref}`];
  const outcome = await git.attempt(args);
  if (outcome.exitCode !== 0) throw gitFailure(args, outcome);
}

/** A branch as the remote has it: the forge's answer may be outdated. */
export async function remoteBranch(context: LaneContext, run: Run, remote: string, branch: string) {
  const ref = `refs/heads/${branch}`;
  const network = { network: true, ownHooks: true, timeoutMs: CHECKOUT_MS };
  const git = gitIn(run.repository, context.env, network);
  const local = gitOfRun(context, run);
  const address = (await local.text(['remote', 'get-url', '--push', remote])).trim();
  const listed = await git.text(['ls-remote', '--quiet', '--refs', '--', address, ref]);
  const [, there] = new RegExp(`^(\\w+)\t${literally(ref)}$`, 'm').exec(listed) ?? [];
  return { git, address, ref, there };
}

/**
 * Judges what of people leaves with the work of lanes, which is judged itself where it lands: what the run began from,
 * and what was taken in of the target since, unless a branch of the remote or the commit at `known` has it.
 *
 * @throws {HeldPushError} if the gate holds it.
 */
export async function assertLeaves(
  context: LaneContext,
  run: Run,
  { remote, to, ref, known }: Readonly<Record<'remote' | 'to' | 'ref' | 'known', string>>,
): Promise<void> {
  const git = gitOfRun(context, run);
  const target = (await git.maybe(['merge-base', run.targetRef, to], [1, 128])) ?? run.baseSha;
  const commits = [run.baseSha, target.trim()];
  const newest = ['rev-list', '--max-count=1', '--ignore-missing', ...commits];
  if ((await git.text([...newest, '--not', `--remotes=${remote}`, known])) === '') return;
  const none = '0'.repeat(run.baseSha.length);
  const lines = commits.map((oid) => `${oid} ${oid} ${ref} ${none}\n`).join('');
  await assertPasses(context, run, { remote, lines, address: remote });
}

/** Judges as git's hook does, even if the hook is not installed. @throws {HeldPushError} */
async function assertPasses(
  context: LaneContext,
  run: Run,
  { remote, lines, address }: Readonly<Record<'remote' | 'lines' | 'address', string>>,
): Promise<void> {
  const { store, env, now } = context;
  const place = projectPlace(run.repository);
  const git = hookGit(place.root, env);
  const here = { place, git, env, now, store: async () => store, storeIfAny: async () => store };
  const asking = { ...here, askRemote: () => askRemote(git, env, address) };
  const answer = await decidePush({ remote, lines }, asking);
  const reason = await pushRefusal(answer, { env, cwd: run.repository, now }, 'run this again');
  if (reason === undefined) return;
  const { agent, name, session } = actorOf(context);
  const who = { projectId: run.projectId, agent: agent ?? name, session: session ?? '' };
  const [, sha, ref] = lines.split(' ');
  const command = `git push ${remote} ${sha}:${ref}`;
  const denied = { ...who, rule: 'git push', decision: 'deny', command } as const;
  store.write(() => decisionStore(store).add({ ...denied, reason: redact(reason), at: now() }));
  throw new HeldPushError(reason);
}

export type PushedTarget = Awaited<ReturnType<typeof pushTarget>>;

/**
 * Pushes the branch on which a run has landed. If the remote protects it, the commit goes to another branch (`beside`),
 * from which `hint` opens a pull request. `held`: by the gate, or because the remote has commits that the push lacks.
 * `there`: the remote had it before.
 *
 * @throws {GitError} if the remote cannot be reached.
 */
export async function pushTarget(context: LaneContext, run: Run, sha: string) {
  const remote = await remoteMeant(gitOfRun(context, run), undefined);
  const target = shortRef(run.targetRef);
  const beside = `lanehold/${run.name}`;
  const { there } = await remoteBranch(context, run, remote, target);
  const isIn = ['merge-base', '--is-ancestor', sha, there ?? ''];
  if (there && (await gitOfRun(context, run).maybe(isIn, [1, 128])) !== undefined)
    return { state: 'there' as const, remote, branch: target };
  try {
    await pushBranch(context, run, { remote, branch: target, sha });
    return { state: 'pushed' as const, remote, branch: target };
  } catch (error) {
    if (error instanceof ForgeError) {
      const hint = error.hint ?? `then \`git push ${remote} ${target}\``;
      return { state: 'held' as const, why: error.message, hint };
    }
    if (!(error instanceof GitError)) throw error;
    await pushBranch(context, run, { remote, branch: beside, sha });
    const hint = `gh pr create --head ${beside} --base ${target}`;
    return { state: 'beside' as const, remote, branch: beside, why: error.message, hint };
  }
}
