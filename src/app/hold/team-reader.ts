/** The key of this machine, and whose words count here. */
import type { Workspace } from '../../features/workspace.ts';
import type { Team } from '../../team/exchange.ts';
import { type Keys, withKeys } from '../../team/reader.ts';
import { remoteAt } from '../../team/refs.ts';
import type { AppContext } from '../context.ts';
import { gitOf } from './holds.ts';

export async function withProjectKeys<T>(
  { env, now }: AppContext,
  workspace: Workspace,
  { member, project }: Team,
  work: (keys: Keys) => Promise<T>,
): Promise<T> {
  const remote = await remoteAt(gitOf(workspace), project.remote);
  return withKeys({ store: workspace.store, env, now }, member, remote, work);
}
