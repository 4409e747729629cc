/** The refs of a team's runs on the remote of the repository, and their transfers. */
import { explained } from '../base/errors.ts';
import { plainAddress } from '../base/git/address.ts';
import { type Git, gitFailure } from '../base/git/git.ts';
import { CHECKOUT_MS } from '../base/git/git-in.ts';
import { refAt } from '../base/git/plumbing.ts';
import { refsAsTheyAre } from '../base/git/refs.ts';
import { randomHex } from '../base/text/random-hex.ts';

/** @param refs the setting `team.refs`. */
export const refsOfLane = (refs: string, run: string, key: string): string =>
  `${refs}/${run}/lanes/${key}`;
/** The commit from which the work of an offer starts, which is in its name: it never moves. */
export const startRef = (refs: string, run: string, key: string, commit: string): string =>
  `${refsOfLane(refs, run, key)}/start-${commit}`;
export const tipRef = (refs: string, run: string): string => `${refs}/${run}/integration`;
/** The tip as the remote has it, in this clone. */
export const sharedTipRef = (run: string): string => `refs/lanehold/${run}/shared-tip`;

/** The remote of a project, by the name that this clone has for it, and a git that may reach it. */
export interface Remote {
  readonly git: Git;
  readonly name: string;
}

/** @param address in its plain spelling, which may lack the user that the clone's own has. */
export async function remoteAt(git: Git, address: string): Promise<Remote> {
  const network = git.at(git.directory, { network: true, timeoutMs: CHECKOUT_MS });
  const refs = await refsAsTheyAre(git, []);
  const isMeant = (name: string) =>
    refs
      .setting(`remote.${name}.url`)
      .some((url) => plainAddress(refs.destinationOf(url, 'fetch'), git.directory) === address);
  return { git: network, name: refs.remotes.find(isMeant) ?? address };
}

/**
 * Moves a ref of the remote by compare and swap: `lost` if it is not where the caller expects it.
 *
 * @param from empty: there must be none yet.
 * @throws {GitError} if the remote cannot be reached, or refuses.
 */
export async function pushRef(
  { git, name }: Remote,
  { ref, to, from }: Readonly<Record<'ref' | 'to' | 'from', string>>,
): Promise<'moved' | 'lost'> {
  const lease = `--force-with-lease=${ref}:${from}`;
  const args = ['push', '--quiet', '--no-follow-tags', lease, '--', name, `${to}:${ref}`];
  const outcome = await git.attempt(args);
  if (outcome.exitCode === 0) return 'moved';
  const there = (await remoteRefs({ git, name }, ref)).get(ref);
  // An earlier push may have arrived without its answer.
  if (there === to) return 'moved';
  if (there !== (from || undefined)) return 'lost';
  throw gitFailure(args, outcome);
}

const FOLDERS = ['refs/lanehold', 'refs/heads/lanehold'] as const;

/** Finds the folder in which the remote takes refs by pushing a commit and deleting it: some take branches alone. */
export async function refsTaken(remote: Remote, commit: string) {
  let why = '';
  for (const refs of FOLDERS) {
    const ref = `${refs}/probe-${randomHex(8)}`;
    try {
      await pushRef(remote, { ref, to: commit, from: '' });
      await remote.git.attempt(['push', '--quiet', '--', remote.name, `:${ref}`]);
      return { refs } as const;
    } catch (error) {
      why = explained(error).message;
    }
  }
  return { why };
}

/** Refs of the remote, with the commits where they are. @throws {GitError} */
export async function remoteRefs({ git, name }: Remote, pattern: string) {
  const listed = await git.text(['ls-remote', '--quiet', '--refs', '--', name, pattern]);
  return new Map(
    [...listed.matchAll(/^(\w+)\t(.+)$/gm)].map(([, oid = '', ref = '']) => [ref, oid]),
  );
}

/** Fetches refs, and nothing else. */
export const FETCH = 'fetch --quiet --no-tags --no-recurse-submodules --no-write-fetch-head'.split(
  ' ',
);

/**
 * Fetches a ref into a ref of this clone. What git itself would not write, as a tree with `.git`, is refused.
 *
 * @returns the object; `undefined` if the remote has no such ref.
 */
export async function fetchRef(
  { git, name }: Remote,
  ref: string,
  into: string,
): Promise<string | undefined> {
  const command = ['-c', 'fetch.fsckObjects=true', ...FETCH, '--', name, `+${ref}:${into}`];
  const outcome = await git.attempt(command);
  if (outcome.exitCode === 0) return refAt(git, into);
  if (!(await remoteRefs({ git, name }, ref)).has(ref)) return undefined;
  throw gitFailure(command, outcome);
}

/** The address by which others can clone, without user and password. */
export async function cloneAddress({ git, name }: Remote): Promise<string> {
  const refs = await refsAsTheyAre(git, []);
  const [url = name] = refs.setting(`remote.${name}.url`);
  return refs.destinationOf(url, 'fetch').replace(/^(https?:\/\/)[^/@]*@/, '$1');
}
