/** Signs with the key that git's settings name for signing commits. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExplainedError } from '../errors.ts';
import type { Git } from '../git/git.ts';
import type { Read, Signature } from './envelope.ts';
import { type GpgSigner, signWithGpg } from './gpg-signature.ts';
import { type Scratch, type SshSigner, signWithSsh } from './ssh-signature.ts';

export type Signer =
  | ({ readonly kind: 'ssh' } & SshSigner)
  | ({ readonly kind: 'gpg' } & GpgSigner)
  /** `why` is a clause. */
  | { readonly kind: 'none'; readonly why: string };

/** A key is configured and cannot sign. Sending unsigned evidence instead would surprise the user. */
class SigningError extends ExplainedError {
  override readonly code = 'SIGNING';

  constructor(how: string, detail: string) {
    super(`cannot sign the evidence with ${how}: ${detail}`, {
      hint: 'see that `git commit -S` works, or send it unsigned with `--no-sign`',
    });
  }
}

/** @param root what a relative key file is relative to. */
export async function configuredSigner(git: Git, root: string, scratch: Scratch): Promise<Signer> {
  const setting = async (name: string, ...type: string[]) =>
    (await git.maybe(['config', ...type, '--get', name]))?.replace(/\n$/, '');
  const [format = 'openpgp', key] = await Promise.all([
    setting('gpg.format'),
    setting('user.signingKey', '--type=path'),
  ]);
  if (key === undefined || key === '') return { kind: 'none', why: 'no `user.signingKey` is set' };
  if (format === 'ssh') {
    const program = (await setting('gpg.ssh.program', '--type=path')) ?? 'ssh-keygen';
    return { kind: 'ssh', program, ...sshKey(key, root, scratch) };
  }
  if (format !== 'openpgp') return { kind: 'none', why: `\`gpg.format\` is \`${format}\`` };
  const [named, plain] = await Promise.all([
    setting('gpg.openpgp.program', '--type=path'),
    setting('gpg.program', '--type=path'),
  ]);
  return { kind: 'gpg', program: named ?? plain ?? 'gpg', key };
}

/** A file, or the public key itself, whose private key the ssh agent has. */
function sshKey(key: string, root: string, { folder }: Scratch) {
  const literal = key.startsWith('key::') ? key.slice('key::'.length) : key;
  if (literal === key && !key.startsWith('ssh-')) {
    return { keyFile: resolve(root, key), fromAgent: false };
  }
  const keyFile = join(folder, 'key.pub');
  writeFileSync(keyFile, `${literal}\n`);
  return { keyFile, fromAgent: true };
}

/** `undefined` without a key. @throws {SigningError} */
export async function sign(
  bytes: Buffer,
  signer: Signer,
  scratch: Scratch,
): Promise<Signature | undefined> {
  switch (signer.kind) {
    case 'none':
      return undefined;
    case 'ssh':
      return made(await signWithSsh(bytes, signer, scratch), `the ssh key ${signer.keyFile}`);
    case 'gpg':
      return made(await signWithGpg(bytes, signer, scratch), `the gpg key ${signer.key}`);
  }
}

function made(signature: Read<Signature>, how: string): Signature {
  if (signature.kind === 'refused') throw new SigningError(how, signature.reason);
  return signature.value;
}
