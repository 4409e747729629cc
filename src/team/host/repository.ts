/** The clone in which a machine works on the lanes of others, and what it exchanges with their remote. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { type Git, reasonIn } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { refsBelow } from '../../base/git/plumbing.ts';
import { projectPlace } from '../../base/git/project.ts';
import { refsAsTheyAre } from '../../base/git/refs.ts';
import { addressesOf } from '../../base/git/remotes.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Workspace, workspaceOn } from '../../features/workspace.ts';
import { teamStore } from '../../store/team.ts';
import type { TeamClaim } from '../../store/team-claims.ts';
import { keyOf } from '../credentials.ts';
import { FETCH } from '../refs.ts';
import { repositoryId } from '../seal.ts';
import type { Host } from './host.ts';

export interface Clone {
  readonly workspace: Workspace;
  /** Runs in the main working tree, and may use the network. */
  readonly git: Git;
  readonly remote: string;
}

/** The clone of a repository on this machine; `undefined` if there is none. */
export async function cloneOf(host: Host, repo: string): Promise<Clone | undefined> {
  const { store } = host.context;
  const folders = [...teamStore(store).foldersOf(repo), folderFor(host, repo)];
  for (const folder of folders.filter((it) => existsSync(it))) {
    const clone = await cloneAt(host, repo, folder);
    if (clone !== undefined) return clone;
  }
  return undefined;
}

const folderFor = ({ context }: Host, repo: string): string =>
  join(context.store.home.team, 'clones', repo);

async function cloneAt(host: Host, repo: string, folder: string): Promise<Clone | undefined> {
  const { store, env, now } = host.context;
  const [main] = await listWorktrees(gitIn(folder, env));
  const path = main?.path ?? folder;
  const git = gitIn(path, env, { network: true, timeoutMs: CHECKOUT_MS });
  const refs = await refsAsTheyAre(git, []);
  const key = keyOf(host.member);
  const isMeant = (name: string): boolean =>
    addressesOf(refs, name, 'fetch').some((it) => repositoryId(key, it) === repo);
  const remote = refs.remotes.find(isMeant);
  if (remote === undefined) return undefined;
  return { workspace: workspaceOn(store, projectPlace(path), git, now), git, remote };
}

/**
 * Makes a clone of an address that somebody trusted has signed.
 *
 * @throws {ExplainedError} if it cannot, or if the address is of another repository.
 */
export async function makeClone(host: Host, repo: string, address: string): Promise<Clone> {
  const { env, store } = host.context;
  // Other transports start programs.
  if (!/^(?:https:\/\/|ssh:\/\/|file:\/\/|\/|[\w.-]+@[\w.-]+:)/.test(address))
    throw new ExplainedError(`${JSON.stringify(address)} is no address to clone from`);
  const git = gitIn(store.home.root, env, { network: true, timeoutMs: CHECKOUT_MS });
  const folder = folderFor(host, repo);
  await git.text(['clone', '--quiet', '--no-recurse-submodules', '--', address, folder]);
  const clone = await cloneAt(host, repo, folder);
  if (clone !== undefined) return clone;
  throw new ExplainedError(`${address} is not the repository of the lane`);
}

/** The folder of refs of a run's lanes as they were last fetched. */
const FETCHED = 'refs/lanehold/team';

/** Fetches the branches of the remote, and what its machines have pushed for a run. @throws {GitError} */
export async function fetchRun({ git, remote }: Clone, run: string, refs: string): Promise<void> {
  const branches = `+refs/heads/*:refs/remotes/${remote}/*`;
  await git.text([...FETCH, remote, branches, `+${refs}/${run}/lanes/*:${FETCHED}/${run}/*`]);
}

/** The last checkpoint that any machine has pushed of this revision. */
export async function lastCheckpoint({ git }: Clone, claim: TeamClaim, key: string) {
  const prefix = `${FETCHED}/${claim.run}/${key}/`;
  const found = [...(await refsBelow(git, prefix))].flatMap(([name, oid]) => {
    const [, rev, epoch] = /^(\d+)-(\d+)-\w+\/ckpt$/.exec(name.slice(prefix.length)) ?? [];
    return Number(rev) === claim.rev ? [{ epoch: Number(epoch), oid }] : [];
  });
  return found.sort((a, b) => b.epoch - a.epoch)[0]?.oid;
}

/** Full name of a ref of a claim on the remote. Nobody else writes it. */
export function refOf(host: Host, claim: TeamClaim, what: 'ckpt' | 'result'): string {
  const { refs } = host.settings;
  const of = `${claim.rev}-${claim.epoch}-${host.member.host.slice(0, 8)}`;
  return `${refs}/${claim.run}/lanes/${claim.key}/${of}/${what}`;
}

/** @throws {ExplainedError} with what the remote says. */
export async function push({ git, remote }: Clone, oid: string, ref: string): Promise<void> {
  const args = ['push', '--quiet', '--no-verify', remote, `+${oid}:${ref}`];
  const { exitCode, stderr } = await git.attempt(args);
  if (exitCode === 0) return;
  const said = /^remote: (.*\S)/m.exec(stderr)?.[1] ?? reasonIn(stderr);
  throw new ExplainedError(`${remote} did not take ${ref}: ${redact(said)}`);
}
