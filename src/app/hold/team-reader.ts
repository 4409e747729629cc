/** The key of this machine, and whose words count here. */
import { configuredSigner, type Scratch, withScratch } from '../../evidence/signing.ts';
import type { Workspace } from '../../features/workspace.ts';
import { keyOf } from '../../team/credentials.ts';
import type { Team } from '../../team/exchange.ts';
import type { Reader } from '../../team/payload.ts';
import { ownPrincipals, signersOfTeam } from '../../team/reader.ts';
import { remoteAt } from '../../team/refs.ts';
import { teamSettings } from '../../team/settings.ts';
import type { AppContext } from '../context.ts';
import { gitOf } from './holds.ts';

export async function signingFor(workspace: Workspace, { member }: Team, scratch: Scratch) {
  const signer = await configuredSigner(gitOf(workspace), workspace.place.root, scratch);
  return { key: keyOf(member), signer, scratch };
}

/** Calls `work` with a reader that takes the word of every known signer, and with the names of this machine's key. */
export const withReader = <T>(
  context: AppContext,
  workspace: Workspace,
  team: Team,
  work: (reader: Reader, own: readonly string[]) => Promise<T>,
): Promise<T> =>
  withScratch(context.env, async (scratch) => {
    const remote = await remoteAt(gitOf(workspace), team.project.remote);
    const signers = await signersOfTeam(teamSettings(workspace.store.home).signers, remote);
    const { key, signer } = await signingFor(workspace, team, scratch);
    const reader = { key, signers, from: ['*'], now: context.now(), scratch };
    return work(reader, await ownPrincipals(signer, signers, scratch));
  });
