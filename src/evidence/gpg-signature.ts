/** Detached OpenPGP signatures, made and checked by gpg with the user's keyring. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Read, read, refused, type Signature } from './envelope.ts';
import { runInScratch, type Scratch, SIGN_TIMEOUT_MS } from './ssh-signature.ts';

export interface GpgSigner {
  readonly program: string;
  readonly key: string;
}

export async function signWithGpg(
  bytes: Buffer,
  { program, key }: GpgSigner,
  scratch: Scratch,
): Promise<Read<Signature>> {
  const outcome = await runInScratch(
    scratch,
    [program, '--batch', '--status-fd=2', '--detach-sign', `--local-user=${key}`],
    { input: bytes, timeoutMs: SIGN_TIMEOUT_MS },
  );
  if (outcome.kind === 'failed') return refused(`${program} ${outcome.why}`);
  // `[GNUPG:] SIG_CREATED <type> <pubkey> <hash> <class> <time> <fingerprint>`
  const keyid = /^\[GNUPG:\] SIG_CREATED (?:\S+ ){5}(\w+)/m.exec(outcome.stderr)?.[1];
  if (outcome.exitCode !== 0 || keyid === undefined) {
    const said = outcome.stderr.split('\n').filter((it) => it !== '' && !it.startsWith('[GNUPG:]'));
    return refused(said.at(-1) ?? `${program} made no signature`);
  }
  return read({ keyid, sig: outcome.stdout });
}

export interface GpgSignature {
  /** Fingerprint of the primary key, upper-case hex. */
  readonly key: string;
  /** The user's keyring trusts that the key belongs to the person it names. */
  readonly trusted: boolean;
}

/** Refused unless the signature is good now: neither it nor its key has expired or been revoked. */
export async function gpgSignatureOf(
  bytes: Buffer,
  { sig }: Signature,
  scratch: Scratch,
): Promise<Read<GpgSignature>> {
  const file = join(scratch.folder, 'signature');
  writeFileSync(file, sig);
  const outcome = await runInScratch(
    scratch,
    ['gpg', '--batch', '--no-auto-key-retrieve', '--status-fd=1', '--verify', file, '-'],
    { input: bytes },
  );
  if (outcome.kind === 'failed') {
    return refused(`its signature cannot be checked: gpg ${outcome.why}`);
  }
  const status = outcome.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('[GNUPG:] '))
    .map((line) => line.split(' ').slice(1));
  const says = (word: string) => status.filter(([first]) => first === word);
  if (says('NO_PUBKEY').length > 0) return refused('the keyring does not have the key it names');
  const [valid, second] = says('VALIDSIG');
  const good = outcome.exitCode === 0 && says('GOODSIG').length === 1 && second === undefined;
  if (!good || valid === undefined) return refused('its signature does not belong to what it says');
  return read({
    key: valid.at(-1) ?? '',
    trusted: says('TRUST_FULLY').length + says('TRUST_ULTIMATE').length > 0,
  });
}
