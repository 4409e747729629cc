/** The clone in which a machine works on the lanes of others, and what it exchanges with their remote. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { plainAddress } from '../../base/git/address.ts';
import { reasonIn } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Workspace, workspaceOn } from '../../features/workspace.ts';
import { teamStore } from '../../store/team.ts';
import type { TeamClaim } from '../../store/team-claims.ts';
import { keyOf } from '../credentials.ts';
import { FETCH, type Remote, remoteAt } from '../refs.ts';
import { repositoryId } from '../seal.ts';
import type { Host } from './host.ts';

/** Its git runs in the main working tree. */
export interface Clone extends Remote {
  readonly workspace: Workspace;
}

/** The clone of a repository on this machine; `undefined` if there is none. */
export async function cloneOf({ context }: Host, repo: string): Promise<Clone | undefined> {
  const { store, env, now } = context;
  const clones = teamStore(store).clonesOf(repo);
  const found = clones.find(({ identity }) => existsSync(identity));
  if (found === undefined) return undefined;
  const [main] = await listWorktrees(gitIn(found.identity, env));
  const path = main?.path ?? found.identity;
  const remote = await remoteAt(gitIn(path, env), found.remote);
  return { ...remote, workspace: workspaceOn(store, projectPlace(path), remote.git, now) };
}

/** @throws {ExplainedError} if it is not there any more. */
export async function cloneOfLane(host: Host, { repo }: TeamClaim): Promise<Clone> {
  const clone = await cloneOf(host, repo);
  if (clone === undefined) throw new ExplainedError('its clone is gone');
  return clone;
}

/**
 * Makes a clone of an address that somebody trusted has signed, as a project of the team.
 *
 * @throws {ExplainedError} if it cannot, or if the address is of another repository.
 */
export async function makeClone(
  { context: { env, store, now }, member }: Host,
  repo: string,
  address: string,
): Promise<Clone> {
  // Other transports start programs.
  if (!/^(?:https:\/\/|ssh:\/\/|file:\/\/|\/|[\w.-]+@[\w.-]+:)/.test(address))
    throw new ExplainedError(`${JSON.stringify(address)} is no address to clone from`);
  const { root, team } = store.home;
  const remote = plainAddress(address, root);
  if (repositoryId(keyOf(member), remote) !== repo)
    throw new ExplainedError(`${address} is not the repository of the lane`);
  const folder = join(team, 'clones', repo);
  const network = gitIn(root, env, { network: true, timeoutMs: CHECKOUT_MS });
  // One that was killed has not checked out anything.
  if (!existsSync(join(folder, '.git', 'index'))) {
    rmSync(folder, { recursive: true, force: true });
    await network.text(['clone', '--quiet', '--no-recurse-submodules', '--', address, folder]);
  }
  const git = gitIn(folder, env);
  const workspace = workspaceOn(store, projectPlace(folder), git, now);
  const { projectId } = workspace;
  store.write(() => teamStore(store).put({ projectId, board: member.board, repo, remote }));
  return { ...(await remoteAt(git, remote)), workspace };
}

/** The folder of refs of a run's lanes as they were last fetched. */
const FETCHED = 'refs/lanehold/team';

/** Fetches the branches of the remote, and what its machines have pushed for a run. @throws {GitError} */
export async function fetchRun({ git, name }: Clone, run: string, refs: string): Promise<void> {
  const branches = `+refs/heads/*:refs/remotes/${name}/*`;
  await git.text([...FETCH, name, branches, `+${refs}/${run}/lanes/*:${FETCHED}/${run}/*`]);
}

/** The last checkpoint that any machine has pushed of this revision. */
export async function lastCheckpoint({ git }: Clone, { run, rev }: TeamClaim, key: string) {
  const order = ['--sort=-version:refname', '--count=1', '--format=%(objectname)'];
  const pattern = `${FETCHED}/${run}/${key}/${rev}-*/ckpt`;
  return (await git.text(['for-each-ref', ...order, pattern])).trim() || undefined;
}

/** Full name of a ref of a claim on the remote. Nobody else writes it. */
export function refOf(host: Host, claim: TeamClaim, what: 'ckpt' | 'result'): string {
  const { refs } = host.settings;
  const of = `${claim.rev}-${claim.epoch}-${host.member.host.slice(0, 8)}`;
  return `${refs}/${claim.run}/lanes/${claim.key}/${of}/${what}`;
}

/** @throws {ExplainedError} with what the remote says. */
export async function push({ git, name }: Clone, oid: string, ref: string): Promise<void> {
  const args = ['push', '--quiet', '--no-verify', name, `+${oid}:${ref}`];
  const { exitCode, stderr } = await git.attempt(args);
  if (exitCode === 0) return;
  const said = /^remote: (.*\S)/m.exec(stderr)?.[1] ?? reasonIn(stderr);
  throw new ExplainedError(`${name} did not take ${ref}: ${redact(said)}`);
}
