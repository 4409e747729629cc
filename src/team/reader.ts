/** Whose signatures count on this machine: a list that no run can change. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { refAt } from '../base/git/plumbing.ts';
import type { Signers } from '../evidence/judge.ts';
import type { Remote } from './refs.ts';
import { teamSettings } from './settings.ts';

const LIST = '.lanehold/allowed_signers';

/** The file of `team.signers`, else the list on the remote's default branch as it was fetched last. */
export async function signersOfTeam(home: Home, { git, name }: Remote): Promise<Signers> {
  const { signers: own } = teamSettings(home);
  if (own !== undefined) {
    const path = own.replace(/^~(?=\/)/, homedir());
    const text = attempt(() => readFileSync(path, 'utf8'));
    if (text !== undefined) return { kind: 'known', from: path, text };
    return { kind: 'none', why: `${path} cannot be read (\`team.signers\`)` };
  }
  const head = `refs/remotes/${name}/HEAD`;
  if ((await refAt(git, head)) === undefined) {
    await git.attempt(['remote', 'set-head', name, '--auto']);
  }
  const text = await git.maybe(['show', `${head}:${LIST}`], [128]);
  if (text !== undefined) return { kind: 'known', from: LIST, text };
  return { kind: 'none', why: `the default branch of ${name} has no ${LIST}` };
}
