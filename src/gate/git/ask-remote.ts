/** What a remote says it has. Only git's own hook asks: the push that it judges talks to the same remote. */
import { type Git, GitError } from '../../base/git/git.ts';
import { hookGit } from '../../base/git/small-git.ts';

const TIMEOUT_MS = 5_000;

/** git has no terminal here, and no window may ask for a password either. */
const NO_QUESTIONS = {
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
};

/** @returns the commits that are also here; `undefined` if the remote does not answer in time. */
export async function askRemote(
  git: Git,
  env: NodeJS.ProcessEnv,
  address: string,
): Promise<ReadonlySet<string> | undefined> {
  const options = { network: true, timeoutMs: TIMEOUT_MS };
  const asking = hookGit(git.directory, { ...env, ...NO_QUESTIONS }, options);
  try {
    const listing = await asking.text(['ls-remote', '--quiet', '--', address]);
    const oids = new Set(listing.split('\n').flatMap((line) => line.split('\t', 1)[0] || []));
    const commits = await git.objects([...oids].map((oid) => `${oid}^{commit}`));
    return new Set(commits.flatMap((it) => it?.oid ?? []));
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
