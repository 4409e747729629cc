/** The forge of a repository's pull requests. */
import type { Git } from '../../base/git/git.ts';
import { refsAsTheyAre } from '../../base/git/refs.ts';
import { addressesOf, mainRemote, remoteName } from '../../base/git/remotes.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { ForgeAddress } from '../../store/pull-requests.ts';
import { type Forge, type ForgeCaller, ForgeError } from './forge.ts';

/**
 * The address of a repository's pull requests. For a fork it is the repository that was forked; branches are pushed to
 * the remote that git would choose.
 *
 * @throws {ExplainedError} if there is no remote, or it is no forge.
 */
export async function forgeAddress(git: Git): Promise<ForgeAddress> {
  const refs = await refsAsTheyAre(git, []);
  const remote = remoteName(refs, undefined);
  // `url` as it is written comes before its replacement by `insteadOf`, because a mirror is no forge.
  const placeOf = (name: string) =>
    [...refs.setting(`remote.${name}.url`), ...addressesOf(refs, name, 'fetch')]
      .map(forgePlace)
      .find((it) => it !== undefined);
  const own = placeOf(remote);
  const target = placeOf(mainRemote(refs) ?? remote) ?? own;
  if (own === undefined || target === undefined) {
    const [url = ''] = addressesOf(refs, remote, 'push');
    const hint = 'land here: `lanehold orchestrate land`';
    if (refs.remotes.includes(remote)) {
      throw new ForgeError(`remote ${remote} (${redact(url)}) is no GitHub or GitLab`, { hint });
    }
    throw new ForgeError('this repository has no remote that a pull request could go to', {
      hint: `add one: \`git remote add origin URL\`; or ${hint}`,
    });
  }
  const program = /(?:^|\.)gitlab\./.test(target.host) ? 'glab' : 'gh';
  return { program, ...target, remote, owner: own.repository.split('/', 1)[0] ?? '' };
}

/** `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name`. */
function forgePlace(url: string): Pick<ForgeAddress, 'host' | 'repository'> | undefined {
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^@/:]+@)([\w.-]+):(?!\/)(.+)$/.exec(url) ??
    [];
  const repository = path?.replace(/\/$/, '').replace(/\.git$/, '') ?? '';
  if (host === undefined || !/^[\w.-]+(?:\/[\w.-]+)+$/.test(repository)) return undefined;
  return { host: host.replace(/^ssh\.(?=github\.com$)/, ''), repository };
}

export async function forgeOf(caller: ForgeCaller): Promise<Forge> {
  if (caller.address.program === 'gh') return (await import('./github.ts')).github(caller);
  return (await import('./gitlab.ts')).gitlab(caller);
}
