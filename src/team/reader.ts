/** What this machine signs with, and whose signatures count on it: a list that no run can change. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { attempt } from '../base/errors.ts';
import { gitIn } from '../base/git/git-in.ts';
import { refAt } from '../base/git/plumbing.ts';
import { orRefusal, RefusedError, signedBytes } from '../evidence/envelope.ts';
import { principalsOf, type Signers } from '../evidence/judge.ts';
import { configuredSigner, type Signer, sign, withScratch } from '../evidence/signing.ts';
import type { LaneContext } from '../lanes/spec/context.ts';
import { keyOf, type Member } from './credentials.ts';
import { type Payload, type Reader, sealPayload } from './payload.ts';
import type { Remote } from './refs.ts';
import { teamSettings } from './settings.ts';

export const LIST = '.lanehold/allowed_signers';

/**
 * The keys that count.
 *
 * @param own the setting `team.signers`, a file. Without it the list on the remote's default branch counts, as it was
 *   fetched last.
 */
async function signersOfTeam(
  own: string | undefined,
  remote: Remote | undefined,
): Promise<Signers> {
  if (own !== undefined) {
    const path = own.replace(/^~(?=\/)/, homedir());
    const text = attempt(() => readFileSync(path, 'utf8'));
    if (text !== undefined) return { kind: 'known', from: path, text };
    return { kind: 'none', why: `${path} cannot be read (\`team.signers\`)` };
  }
  if (remote === undefined)
    return { kind: 'none', why: 'without a clone `team.signers` has to name a file' };
  const { git, name } = remote;
  const head = `refs/remotes/${name}/HEAD`;
  if ((await refAt(git, head)) === undefined) {
    await git.attempt(['remote', 'set-head', name, '--auto']);
  }
  const text = await git.maybe(['show', `${head}:${LIST}`], [128]);
  if (text !== undefined) return { kind: 'known', from: LIST, text };
  return { kind: 'none', why: `the default branch of ${name} has no ${LIST}` };
}

/** What this machine signs with, and whose word counts on it. */
export interface Keys {
  readonly signer: Signer;
  /** Takes the word of all whose key is known. */
  readonly reader: Reader;
  /** The names that the list of signers has for the key of this machine. */
  readonly own: () => Promise<readonly string[]>;
  /** Those for whom this machine works: `team.runFor`, by default whoever has its key. */
  readonly runFor: () => Promise<readonly string[]>;
  /** Signs and encrypts. @throws {ExplainedError} */
  readonly seal: (payload: Payload) => Promise<Buffer>;
}

/** @param remote of a clone, which has the list of signers unless the user's settings name one. */
export const withKeys = <T>(
  { store, env, now }: Pick<LaneContext, 'store' | 'env' | 'now'>,
  member: Member,
  remote: Remote | undefined,
  work: (keys: Keys) => Promise<T>,
): Promise<T> =>
  withScratch(env, async (scratch) => {
    const settings = teamSettings(store.home);
    const git = remote?.git ?? gitIn(store.home.root, env);
    const signer = await configuredSigner(git, git.directory, scratch);
    const signers = await signersOfTeam(settings.signers, remote);
    const key = keyOf(member);
    const own = async () => {
      const bytes = signedBytes(Buffer.from('{}'));
      const signature = await sign(bytes, signer, scratch);
      if (signature === undefined) return [];
      const signed = { bytes, ...signature };
      const found = await orRefusal(() => principalsOf(signed, { signers }, scratch));
      return found instanceof RefusedError ? [] : found;
    };
    return work({
      signer,
      reader: { key, signers, from: ['*'], now: now(), scratch },
      own,
      runFor: async () => settings.runFor ?? (await own()),
      seal: (payload) => sealPayload(payload, { key, signer, scratch }),
    });
  });
