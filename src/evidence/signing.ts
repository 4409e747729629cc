/** Signatures by the key that git names for commits, made and checked by ssh-keygen or gpg. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExplainedError } from '../base/errors.ts';
import { withScratchFolder } from '../base/files/scratch-folder.ts';
import type { Git } from '../base/git/git.ts';
import { type Outcome, type RunOptions, run } from '../base/process/run.ts';
import { RefusedError, type Signature } from './envelope.ts';

/** The namespace keeps a signature of evidence from being valid for a commit, and the other way round. */
const NAMESPACE = 'lanehold';

const MAGIC = 'SSHSIG';
const BEGIN = '-----BEGIN SSH SIGNATURE-----';
const END = '-----END SSH SIGNATURE-----';
const MAX_PRINCIPALS = 16;
/** Long enough for a person to enter a passphrase or to touch a security key. */
const SIGN_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

export interface Scratch {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Calls `work` with a folder that only this user can read and that is gone afterwards. */
export const withScratch = <T>(env: Scratch['env'], work: (scratch: Scratch) => Promise<T>) =>
  withScratchFolder((folder) => work({ folder, env }));

function runInScratch(
  { folder, env }: Scratch,
  [program, ...args]: readonly [string, ...string[]],
  options: Pick<RunOptions, 'input' | 'timeoutMs'>,
): Promise<Outcome> {
  const limits = { ...options, maxOutputBytes: MAX_OUTPUT_BYTES };
  return run(program, args, { ...limits, cwd: folder, env });
}

/** Bytes and a signature that may be one of them. */
export interface Signed {
  readonly bytes: Buffer;
  readonly sig: Buffer;
}

export function isSshSignature({ sig }: Pick<Signed, 'sig'>): boolean {
  return sig.toString('latin1', 0, MAGIC.length) === MAGIC;
}

interface SshSigner {
  readonly program: string;
  /** A file with the private key, or with the public one whose private key the ssh agent has. */
  readonly keyFile: string;
  readonly fromAgent: boolean;
}

/** @throws {RefusedError} with what the program says. */
async function signWithSsh(
  bytes: Buffer,
  { program, keyFile, fromAgent }: SshSigner,
  scratch: Scratch,
): Promise<Signature> {
  const agent = fromAgent ? ['-U'] : [];
  const outcome = await runInScratch(
    scratch,
    [program, '-Y', 'sign', '-n', NAMESPACE, '-f', keyFile, ...agent],
    { input: bytes, timeoutMs: SIGN_TIMEOUT_MS },
  );
  if (outcome.kind === 'failed') throw new RefusedError(`${program} ${outcome.why}`);
  const armour = outcome.stdout.toString('utf8').trim();
  if (outcome.exitCode !== 0 || !armour.startsWith(BEGIN) || !armour.endsWith(END)) {
    throw new RefusedError(
      outcome.stderr.trim().split('\n').at(-1) ?? `${program} made no signature`,
    );
  }
  const sig = Buffer.from(armour.slice(BEGIN.length, -END.length), 'base64');
  return { keyid: keyIdOf(sig), sig };
}

/**
 * The principals that the allowed-signers file lists for this signature's key.
 *
 * @param allowedSigners a file as `ssh-keygen(1)` describes it.
 * @throws {RefusedError} if it lists none.
 */
export async function sshPrincipals(
  { bytes, sig }: Signed,
  allowedSigners: string,
  scratch: Scratch,
): Promise<readonly string[]> {
  const file = writeArmour(sig, scratch);
  const found = await keygen(['find-principals', '-s', file, '-f', allowedSigners], scratch);
  if (found.exitCode !== 0) {
    throw new RefusedError(`nobody who may sign has the key ${keyIdOf(sig)}`);
  }
  const candidates = found.stdout.toString('utf8').split('\n').filter(Boolean);
  const principals: string[] = [];
  for (const principal of candidates.slice(0, MAX_PRINCIPALS)) {
    const args = ['verify', '-f', allowedSigners, '-I', principal, '-n', NAMESPACE, '-s', file];
    const verified = await keygen(args, scratch, bytes);
    if (verified.exitCode === 0) principals.push(principal);
  }
  if (principals.length === 0) throw new RefusedError(BROKEN);
  return principals;
}

/** The id of the key. The signer is not checked. @throws {RefusedError} unless the signature fits the bytes. */
export async function sshKeyOf({ bytes, sig }: Signed, scratch: Scratch): Promise<string> {
  const file = writeArmour(sig, scratch);
  const args = ['check-novalidate', '-n', NAMESPACE, '-s', file];
  const { exitCode } = await keygen(args, scratch, bytes);
  if (exitCode !== 0) throw new RefusedError(BROKEN);
  return keyIdOf(sig);
}

const BROKEN = 'its signature does not belong to what it says';

/** @throws {RefusedError} if it does not run. */
async function keygen(args: readonly string[], scratch: Scratch, input: Buffer = Buffer.alloc(0)) {
  const outcome = await runInScratch(scratch, ['ssh-keygen', '-Y', ...args], { input });
  if (outcome.kind === 'exited') return outcome;
  throw new RefusedError(`its signature cannot be checked: ssh-keygen ${outcome.why}`);
}

function writeArmour(sig: Buffer, { folder }: Scratch): string {
  const file = join(folder, 'signature');
  const lines = sig.toString('base64').match(/.{1,70}/g) ?? [];
  writeFileSync(file, `${[BEGIN, ...lines, END].join('\n')}\n`);
  return file;
}

/** `SHA256:…` of the public key in a signature, as ssh-keygen prints it; the key comes first. */
function keyIdOf(sig: Buffer): string {
  const start = MAGIC.length + 4;
  if (sig.length < start + 4) return 'unknown';
  const key = sig.subarray(start + 4, start + 4 + sig.readUInt32BE(start));
  const digest = createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
  return `SHA256:${digest}`;
}

export type Signer =
  | ({ readonly kind: 'ssh' } & SshSigner)
  | ({ readonly kind: 'gpg' } & GpgSigner)
  /** `why` is a clause. */
  | { readonly kind: 'none'; readonly why: string };

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

/**
 * `undefined` without a key.
 *
 * @throws {ExplainedError} if a key is configured and cannot sign: sending unsigned evidence instead would
 * surprise the user.
 */
export async function sign(
  bytes: Buffer,
  signer: Signer,
  scratch: Scratch,
): Promise<Signature | undefined> {
  if (signer.kind === 'none') return undefined;
  const isSsh = signer.kind === 'ssh';
  try {
    return await (isSsh
      ? signWithSsh(bytes, signer, scratch)
      : signWithGpg(bytes, signer, scratch));
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const key = isSsh ? `the ssh key ${signer.keyFile}` : `the gpg key ${signer.key}`;
    throw new ExplainedError(`cannot sign the evidence with ${key}: ${error.message}`, {
      code: 'SIGNING',
      hint: 'see that `git commit -S` works; `lanehold evidence push --no-sign` sends it unsigned',
    });
  }
}

interface GpgSigner {
  readonly program: string;
  readonly key: string;
}

async function signWithGpg(
  bytes: Buffer,
  { program, key }: GpgSigner,
  scratch: Scratch,
): Promise<Signature> {
  const outcome = await runInScratch(
    scratch,
    [program, '--batch', '--status-fd=2', '--detach-sign', `--local-user=${key}`],
    { input: bytes, timeoutMs: SIGN_TIMEOUT_MS },
  );
  if (outcome.kind === 'failed') throw new RefusedError(`${program} ${outcome.why}`);
  // `[GNUPG:] SIG_CREATED <type> <pubkey> <hash> <class> <time> <fingerprint>`
  const keyid = /^\[GNUPG:\] SIG_CREATED (?:\S+ ){5}(\w+)/m.exec(outcome.stderr)?.[1];
  if (outcome.exitCode !== 0 || keyid === undefined) {
    const said = outcome.stderr.split('\n').filter((it) => it !== '' && !it.startsWith('[GNUPG:]'));
    throw new RefusedError(said.at(-1) ?? `${program} made no signature`);
  }
  return { keyid, sig: outcome.stdout };
}

/**
 * The fingerprint of the primary key (upper-case hex), and whether the user's keyring trusts that the key
 * belongs to the person it names.
 *
 * @throws {RefusedError} unless the signature is good now: neither it nor its key expired or was revoked.
 */
export async function gpgSignatureOf({ bytes, sig }: Signed, scratch: Scratch) {
  const file = join(scratch.folder, 'signature');
  writeFileSync(file, sig);
  const outcome = await runInScratch(
    scratch,
    ['gpg', '--batch', '--no-auto-key-retrieve', '--status-fd=1', '--verify', file, '-'],
    { input: bytes },
  );
  if (outcome.kind === 'failed') {
    throw new RefusedError(`its signature cannot be checked: gpg ${outcome.why}`);
  }
  const status = outcome.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('[GNUPG:] '))
    .map((line) => line.split(' ').slice(1));
  const says = (word: string) => status.filter(([first]) => first === word);
  if (says('NO_PUBKEY').length > 0) {
    throw new RefusedError('the keyring does not have the key it names');
  }
  const [valid, second] = says('VALIDSIG');
  const good = outcome.exitCode === 0 && says('GOODSIG').length === 1 && second === undefined;
  if (!good || valid === undefined) throw new RefusedError(BROKEN);
  return {
    key: valid.at(-1) ?? '',
    trusted: says('TRUST_FULLY').length + says('TRUST_ULTIMATE').length > 0,
  };
}
