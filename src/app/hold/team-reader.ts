/** The key of this machine, and whose words count here. */
import { orRefusal, RefusedError, signedBytes } from '../../evidence/envelope.ts';
import { principalsOf } from '../../evidence/judge.ts';
import { configuredSigner, type Scratch, sign, withScratch } from '../../evidence/signing.ts';
import type { Workspace } from '../../features/workspace.ts';
import { keyOf } from '../../team/credentials.ts';
import type { Team } from '../../team/exchange.ts';
import type { Reader } from '../../team/payload.ts';
import { signersOfTeam } from '../../team/reader.ts';
import { remoteAt } from '../../team/refs.ts';
import type { AppContext } from '../context.ts';
import { gitOf } from './holds.ts';

export async function signingFor(workspace: Workspace, { member }: Team, scratch: Scratch) {
  const signer = await configuredSigner(gitOf(workspace), workspace.place.root, scratch);
  return { key: keyOf(member), signer, scratch };
}

/** @param work gets a reader for whom all known signers count, and the principals of this machine's own key. */
export const withReader = <T>(
  context: AppContext,
  workspace: Workspace,
  team: Team,
  work: (reader: Reader, own: readonly string[]) => Promise<T>,
): Promise<T> =>
  withScratch(context.env, async (scratch) => {
    const remote = await remoteAt(gitOf(workspace), team.project.remote);
    const signers = await signersOfTeam(workspace.store.home, remote);
    const { key, signer } = await signingFor(workspace, team, scratch);
    const bytes = signedBytes(Buffer.from('{}'));
    const signature = await sign(bytes, signer, scratch);
    const own = await orRefusal(() =>
      signature === undefined ? [] : principalsOf({ bytes, ...signature }, { signers }, scratch),
    );
    const reader = { key, signers, from: ['*'], now: context.now(), scratch };
    return work(reader, own instanceof RefusedError ? [] : own);
  });
