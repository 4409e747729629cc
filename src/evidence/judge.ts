/** Decides whether a shared record counts, by its signatures and the policy. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature } from '../config/feature.ts';
import type { Git } from '../git/git.ts';
import type { Evidence } from '../store/evidence.ts';
import { printableLine } from '../text/printable.ts';
import { redact } from '../text/redact/redact.ts';
import {
  type Envelope,
  type Read,
  read,
  refused,
  type Signature,
  signedBytes,
} from './envelope.ts';
import {
  gpgSignatureOf,
  isSshSignature,
  type Scratch,
  sshKeyOf,
  sshPrincipals,
} from './signing.ts';
import type { NoteRecord, PortableRecord } from './statement.ts';
import type { Trust } from './trust.ts';

/** Clocks differ a little. A record from the future would supersede all later ones. */
const MAX_AHEAD_MS = 5 * 60_000;

export interface Reading {
  readonly git: Git;
  readonly trust: Trust;
  readonly now: Date;
  readonly scratch: Scratch;
}

/**
 * Who vouches for a record about a content of this feature, as a clause; or why it does not count.
 *
 * @param tests `compared`: the tests that passed have to be those of exactly this definition.
 */
export async function judge(
  { record, envelope }: Pick<NoteRecord, 'record' | 'envelope'>,
  { smoke }: Feature,
  { trust, now, scratch }: Reading,
  tests: 'compared' | 'unknown' = 'compared',
): Promise<Read<string>> {
  const { at, kind } = record;
  if (at.getTime() > now.getTime() + MAX_AHEAD_MS) return refused('it is from the future');
  if (kind === 'attested' && smoke.length > 0 && trust.attest !== 'any') {
    return refused('it is attested, and the feature has a smoke test to run');
  }
  if (tests === 'compared' && !ranTests(record, smoke)) {
    return refused('it passed by other tests than the feature has');
  }
  return vouch(envelope, trust, scratch);
}

function ranTests({ kind, runs }: PortableRecord, smoke: Feature['smoke']): boolean {
  const ran = new Set(runs.map(({ command }) => command));
  return kind !== 'passed' || smoke.every((it) => ran.has(redact(it.command)));
}

/** As a record of this machine, with its source. */
export function asEvidence(record: PortableRecord, source: string): Evidence {
  return { ...record, id: 0, projectId: 0, session: null, source };
}

/** Who vouches for the envelope, as a clause; or why its signatures do not suffice. */
async function vouch(envelope: Envelope, trust: Trust, scratch: Scratch): Promise<Read<string>> {
  const bytes = signedBytes(envelope.payload);
  const [first] = envelope.signatures;
  if (first === undefined) {
    return trust.require === 'any'
      ? read('unsigned')
      : refused(`it is unsigned, and the policy asks for ${wording(trust)}`);
  }
  let answer = await vouchBy(bytes, first, trust, scratch);
  for (const signature of envelope.signatures.slice(1)) {
    if (answer.kind === 'read') break;
    answer = await vouchBy(bytes, signature, trust, scratch);
  }
  return answer;
}

function wording({ require }: Trust): string {
  return require === 'ci' ? "CI's signature" : 'a signature';
}

async function vouchBy(
  bytes: Buffer,
  signature: Signature,
  trust: Trust,
  scratch: Scratch,
): Promise<Read<string>> {
  const signers = await principalsOf(bytes, signature, trust, scratch);
  if (signers.kind === 'refused') {
    return trust.require === 'any' ? unknownKey(bytes, signature, scratch) : signers;
  }
  const names = signers.value;
  if (trust.require === 'ci' && !names.some((it) => trust.ci.has(it))) {
    return refused(`it is signed by ${shown(names)}, and the base does not name that as CI`);
  }
  return read(`signed by ${shown(names)}`);
}

/** The principals of a known key. */
async function principalsOf(
  bytes: Buffer,
  signature: Signature,
  { signers }: Trust,
  scratch: Scratch,
): Promise<Read<readonly string[]>> {
  if (!isSshSignature(signature)) {
    const made = await gpgSignatureOf(bytes, signature, scratch);
    if (made.kind === 'refused') return made;
    const { key, trusted } = made.value;
    return trusted ? read([key]) : refused(`the keyring here does not trust the gpg key ${key}`);
  }
  if (signers.kind === 'none') return refused(`who may sign is not known: ${signers.why}`);
  const file = join(scratch.folder, 'allowed_signers');
  writeFileSync(file, signers.text);
  return sshPrincipals(bytes, signature, file, scratch);
}

/** With the policy `any` an unknown key suffices, but the signature must fit the content. */
async function unknownKey(
  bytes: Buffer,
  signature: Signature,
  scratch: Scratch,
): Promise<Read<string>> {
  if (isSshSignature(signature)) {
    const key = await sshKeyOf(bytes, signature, scratch);
    return key.kind === 'refused' ? key : read(`signed by the unknown key ${key.value}`);
  }
  const made = await gpgSignatureOf(bytes, signature, scratch);
  return made.kind === 'refused' ? made : read(`signed by the unknown key ${made.value.key}`);
}

function shown(names: readonly string[]): string {
  return printableLine(names.slice(0, 3).join(', '));
}
