/** git's own hook at the start of a session: put into a clone that has none yet, missed where it is gone. */
import { readFileSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { hookGit } from '../../base/git/hook-git.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import type { Installed } from '../../git-hold/git-hold.ts';
import { type Caller, orLogged } from './handler.ts';

/** Why git no longer holds pushes here, if it is to. Never throws, and says nothing of a failure. */
export async function missingGitHook(
  { kind, root }: ProjectPlace,
  caller: Pick<Caller, 'agent' | 'env' | 'now' | 'afterwards'>,
): Promise<string | undefined> {
  const { env } = caller;
  const installed = installedBefore(env);
  if (kind !== 'git' || installed === undefined) return undefined;
  return orLogged(caller, 'session-start', undefined, async () => {
    const [{ gitHold, whyGone }, { currentRuntime }] = await Promise.all([
      import('../../git-hold/git-hold.ts'),
      import('../../install/targets.ts'),
    ]);
    const git = hookGit(root, env);
    const line = await gitHold(git, env, currentRuntime(), installed);
    const isMissing = line.clone.state === 'absent' && line.configured.state === 'absent';
    if (isMissing && installed.gitHold === 'clones') {
      const { installAtSession } = await import('../../git-hold/git-hold-setup.ts');
      const install = () => installAtSession(git, env, currentRuntime());
      caller.afterwards(install, { unsure: install });
    }
    return whyGone(line);
  });
}

/**
 * From the record of installations, as it is written: its validation takes longer than the rest.
 * `undefined` if git is not to hold anything.
 */
function installedBefore(env: Environment): Installed | undefined {
  const record: Installed | undefined = attempt(() =>
    JSON.parse(readFileSync(homeOf(env).manifest, 'utf8')),
  );
  return record?.gitHold || record?.gitHooks?.length ? record : undefined;
}
