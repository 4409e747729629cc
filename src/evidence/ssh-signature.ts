/**
 * Signatures by ssh keys, made and checked by `ssh-keygen`. An envelope holds the signature's bytes;
 * the program reads them from an armoured file.
 *
 * @see https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { type Outcome, type RunOptions, run } from '../process/run.ts';
import { type Read, read, refused, type Signature } from './envelope.ts';

/** A signature of evidence is not valid for a commit, and the other way round. */
export const NAMESPACE = 'lanehold';

const MAGIC = 'SSHSIG';
const BEGIN = '-----BEGIN SSH SIGNATURE-----';
const END = '-----END SSH SIGNATURE-----';
const MAX_PRINCIPALS = 16;
/** Long enough for a person to enter a passphrase or to touch a security key. */
export const SIGN_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** A folder for files that programs take as arguments. */
export interface Scratch {
  readonly folder: string;
  readonly env: Environment;
}

/** Calls `work` with a folder that only this user can read and that is gone afterwards. */
export async function withScratch<T>(
  env: Scratch['env'],
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-evidence-'));
  try {
    return await work({ folder, env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program that signs or checks `input`. */
export function runInScratch(
  { folder, env }: Scratch,
  [program, ...args]: readonly [string, ...string[]],
  options: Pick<RunOptions, 'input' | 'timeoutMs'>,
): Promise<Outcome> {
  return run(program, args, { ...options, cwd: folder, env, maxOutputBytes: MAX_OUTPUT_BYTES });
}

export function isSshSignature({ sig }: Signature): boolean {
  return sig.toString('latin1', 0, MAGIC.length) === MAGIC;
}

export interface SshSigner {
  readonly program: string;
  /** A file with the private key, or with the public one whose private key the ssh agent has. */
  readonly keyFile: string;
  readonly fromAgent: boolean;
}

/** @returns a refusal with what the program says. */
export async function signWithSsh(
  bytes: Buffer,
  { program, keyFile, fromAgent }: SshSigner,
  scratch: Scratch,
): Promise<Read<Signature>> {
  const agent = fromAgent ? ['-U'] : [];
  const outcome = await runInScratch(
    scratch,
    [program, '-Y', 'sign', '-n', NAMESPACE, '-f', keyFile, ...agent],
    { input: bytes, timeoutMs: SIGN_TIMEOUT_MS },
  );
  if (outcome.kind === 'failed') return refused(`${program} ${outcome.why}`);
  const armour = outcome.stdout.toString('utf8').trim();
  if (outcome.exitCode !== 0 || !armour.startsWith(BEGIN) || !armour.endsWith(END)) {
    return refused(outcome.stderr.trim().split('\n').at(-1) ?? `${program} made no signature`);
  }
  const sig = Buffer.from(armour.slice(BEGIN.length, -END.length), 'base64');
  return read({ keyid: keyIdOf(sig), sig });
}

/**
 * The principals for whom the allowed-signers file takes this signature; refused if there are none.
 *
 * @param allowedSigners a file as `ssh-keygen(1)` describes it.
 */
export async function sshPrincipals(
  bytes: Buffer,
  { sig }: Signature,
  allowedSigners: string,
  scratch: Scratch,
): Promise<Read<readonly string[]>> {
  const file = writeArmour(sig, scratch);
  const found = await keygen(['find-principals', '-s', file, '-f', allowedSigners], scratch);
  if (found.kind === 'failed') return refused(cannotRun(found.why));
  if (found.exitCode !== 0) return refused(`nobody who may sign has the key ${keyIdOf(sig)}`);
  const candidates = found.stdout.toString('utf8').split('\n').filter(Boolean);
  const principals: string[] = [];
  for (const principal of candidates.slice(0, MAX_PRINCIPALS)) {
    const args = ['verify', '-f', allowedSigners, '-I', principal, '-n', NAMESPACE, '-s', file];
    const verified = await keygen(args, scratch, bytes);
    if (verified.kind === 'exited' && verified.exitCode === 0) principals.push(principal);
  }
  if (principals.length === 0) return refused(BROKEN);
  return read(principals);
}

/** The id of the key, if the signature fits the bytes. The signer is not checked. */
export async function sshKeyOf(
  bytes: Buffer,
  { sig }: Signature,
  scratch: Scratch,
): Promise<Read<string>> {
  const file = writeArmour(sig, scratch);
  const args = ['check-novalidate', '-n', NAMESPACE, '-s', file];
  const checked = await keygen(args, scratch, bytes);
  if (checked.kind === 'failed') return refused(cannotRun(checked.why));
  return checked.exitCode === 0 ? read(keyIdOf(sig)) : refused(BROKEN);
}

const BROKEN = 'its signature does not belong to what it says';

function cannotRun(why: string): string {
  return `its signature cannot be checked: ssh-keygen ${why}`;
}

function keygen(
  args: readonly string[],
  scratch: Scratch,
  input: Buffer = Buffer.alloc(0),
): Promise<Outcome> {
  return runInScratch(scratch, ['ssh-keygen', '-Y', ...args], { input });
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
