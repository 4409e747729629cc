/** Pushes a branch as any push is made: judged by the gate, past no commit that somebody else has pushed. */
import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { homeOf } from '../../base/files/home.ts';
import { type Git, gitFailure } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { hookGit } from '../../base/git/hook-git.ts';
import { isAncestor } from '../../base/git/plumbing.ts';
import { projectPlace } from '../../base/git/project.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { askRemote } from '../../gate/git/ask-remote.ts';
import { decisionStore } from '../../store/decisions.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { gitOfRun } from '../spec/repository.ts';
import { goneWords, takenOut } from '../stand/taken-out.ts';
import { ForgeError } from './forge.ts';

/** The gate's denial, with its way out. */
export class HeldPushError extends ForgeError {
  override readonly code = 'HELD_PUSH';
}

interface PushWish extends Readonly<Record<'remote' | 'branch' | 'sha', string>> {
  /** What lanehold has pushed there before: that may be replaced. */
  readonly last: string | undefined;
}

/**
 * Nothing happens if it is there already.
 *
 * @throws {HeldPushError} if the gate holds it.
 * @throws {ForgeError} if the branch at the remote has commits that are not in what is to be pushed.
 * @throws {GitError} if the remote cannot be reached or refuses.
 */
export async function pushBranch(context: LaneContext, run: Run, wish: PushWish): Promise<void> {
  const { remote, branch, sha, last } = wish;
  const ref = `refs/heads/${branch}`;
  const local = gitOfRun(context, run);
  const network = { network: true, ownHooks: true, timeoutMs: CHECKOUT_MS };
  const git = gitIn(run.repository, context.env, network);
  const address = (await local.text(['remote', 'get-url', '--push', remote])).trim();
  const there = await remoteOid(git, address, ref);
  if (there === sha) return;
  const moved = (to = 'nothing') =>
    new ForgeError(`${branch} at ${remote} has commits of somebody else (${to.slice(0, 12)})`, {
      hint: `nothing was overwritten; take them in: \`git fetch ${remote} ${branch}\`, or delete the branch there`,
    });
  if (there !== undefined && there !== last && !(await contains(local, sha, there))) {
    throw moved(there);
  }
  const line = `${sha} ${sha} ${ref} ${there ?? '0'.repeat(sha.length)}\n`;
  const denial =
    (await bringsBack(context, run, local, sha)) ??
    (await refusalOf(context, run, { remote, lines: line, address }));
  if (denial !== undefined) throw new HeldPushError(denial);
  const lease = `--force-with-lease=${ref}:${there ?? ''}`;
  const args = ['push', '--quiet', '--no-follow-tags', lease, '--', remote, `${sha}:${ref}`];
  const outcome = await git.attempt(args);
  if (outcome.exitCode === 0) return;
  if (/\bstale info\b/.test(outcome.stderr)) throw moved(await remoteOid(git, address, ref));
  throw gitFailure(args, outcome);
}

async function remoteOid(git: Git, address: string, ref: string): Promise<string | undefined> {
  const listed = await git.text(['ls-remote', '--quiet', '--refs', '--', address, ref]);
  return listed
    .split('\n')
    .find((line) => line.endsWith(`\t${ref}`))
    ?.split('\t')[0];
}

/** What a person has taken out of the target, such as a secret, does not leave with a lane either. */
async function bringsBack(context: LaneContext, run: Run, git: Git, sha: string) {
  const gone = await (await takenOut(context, run, git))(sha);
  if (gone.length === 0) return undefined;
  return `lanehold holds this push: it has ${await goneWords(git, run, gone)}\nhint: \`lanehold orchestrate integrate --run ${run.name}\` leaves it out; then \`lanehold orchestrate land --pr\``;
}

/** False where the other commit is not here. */
async function contains(git: Git, sha: string, other: string): Promise<boolean> {
  const [found] = await git.objects([`${other}^{commit}`]);
  return found !== undefined && isAncestor(git, other, sha);
}

/** What git's hook would say, whether that is installed or not; a refusal is recorded as one of any push. */
async function refusalOf(
  context: LaneContext,
  run: Run,
  { remote, lines, address }: Readonly<Record<'remote' | 'lines' | 'address', string>>,
): Promise<string | undefined> {
  const { store, env, now } = context;
  const [{ decidePush }, { pushRefusal }] = await Promise.all([
    import('../../gate/decide-push.ts'),
    import('../../gate/push-refusal.ts'),
  ]);
  const place = projectPlace(run.repository);
  const git = hookGit(place.root, env);
  const answer = await decidePush(
    { remote, lines },
    {
      ...{ place, git, env, now },
      store: async () => store,
      storeIfAny: async () => (existsSync(homeOf(env).database) ? store : undefined),
      askRemote: () => askRemote(git, env, address),
    },
  );
  const reason = await pushRefusal(answer, { env, cwd: run.repository, now }, 'run this again');
  if (reason === undefined) return undefined;
  const { agent, name, session } = actorOf(context);
  const who = { projectId: run.projectId, agent: agent ?? name, session: session ?? '' };
  const [, sha = '', ref = ''] = lines.split(' ');
  const command = `git push ${remote} ${sha}:${ref}`;
  const denied = { ...who, rule: 'git push', decision: 'deny', command } as const;
  store.write(() => decisionStore(store).add({ ...denied, reason: redact(reason), at: now() }));
  return reason;
}
