/**
 * Decides whose evidence counts, and whether a shared record does, by its signatures and the
 * policy. The change that is judged can only make this stricter: keys come from the base, and
 * the stricter of the two policies holds.
 */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Feature, REGISTRY_FILE, type RequirePolicy } from '../base/config/feature.ts';
import { DEFAULT_GATE_POLICY, type GatePolicy, stricter } from '../base/config/policy.ts';
import { ExplainedError, UsageError } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import type { Git } from '../base/git/git.ts';
import { blobsAt } from '../base/git/paths.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import { printableLine } from '../base/text/printable.ts';
import { redact } from '../base/text/redact/redact.ts';
import { type ProjectRegistry, registryReader } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { type Envelope, orRefusal, RefusedError, signedBytes } from './envelope.ts';
import {
  gpgSignatureOf,
  isSshSignature,
  type Scratch,
  type Signed,
  sshKeyOf,
  sshPrincipals,
} from './signing.ts';
import type { NoteRecord, PortableRecord } from './statement.ts';

/** Clocks differ a little, and a record from the future would supersede all later ones. */
const MAX_AHEAD_MS = 5 * 60_000;

export interface JudgingContext {
  readonly git: Git;
  readonly trust: Trust;
  readonly now: Date;
  readonly scratch: Scratch;
}

/**
 * The signers of a record about a content of this feature, as a clause.
 *
 * @param tests `compared`: the tests that passed have to be those of exactly this definition.
 * @throws {RefusedError} if it does not count.
 */
export async function judge(
  { record, envelope }: Pick<NoteRecord, 'record' | 'envelope'>,
  { smoke }: Feature,
  context: JudgingContext,
  tests: 'compared' | 'unknown' = 'compared',
): Promise<string> {
  const { at, kind } = record;
  const { trust, now } = context;
  if (at.getTime() > now.getTime() + MAX_AHEAD_MS) throw new RefusedError('it is from the future');
  if (kind === 'attested' && smoke.length > 0 && trust.attest !== 'any') {
    throw new RefusedError('it is attested, and the feature has a smoke test to run');
  }
  if (tests === 'compared' && !ranTests(record, smoke)) {
    throw new RefusedError('it passed by other tests than the feature has');
  }
  return signersOf(envelope, context);
}

function ranTests({ kind, runs }: PortableRecord, smoke: Feature['smoke']): boolean {
  const ran = new Set(runs.map(({ command }) => command));
  return kind !== 'passed' || smoke.every((it) => ran.has(redact(it.command)));
}

/** The signers of an envelope, as a clause. @throws {RefusedError} if its signatures do not suffice. */
export async function signersOf(envelope: Envelope, context: JudgingContext): Promise<string> {
  const { require } = context.trust;
  const bytes = signedBytes(envelope.payload);
  if (envelope.signatures.length === 0 && require === 'any') return 'unsigned';
  const wanted = require === 'ci' ? "CI's signature" : 'a signature';
  let refusal = new RefusedError(`it is unsigned, and the policy asks for ${wanted}`);
  for (const { sig } of envelope.signatures) {
    const by = await orRefusal(() => signerBy({ bytes, sig }, context));
    if (!(by instanceof RefusedError)) return by;
    refusal = by;
  }
  throw refusal;
}

async function signerBy(signed: Signed, { trust, scratch }: JudgingContext): Promise<string> {
  const names = await orRefusal(() => principalsOf(signed, trust, scratch));
  if (names instanceof RefusedError) {
    if (trust.require === 'any') return unknownKey(signed, scratch);
    throw names;
  }
  if (trust.require === 'ci' && !names.some((it) => trust.ci.has(it))) {
    throw new RefusedError(
      `it is signed by ${shown(names)}, and the base does not name that as CI`,
    );
  }
  return `signed by ${shown(names)}`;
}

/** Those who have the key of a signature. @throws {RefusedError} if nobody is known to have it. */
export async function principalsOf(
  signed: Signed,
  { signers }: Pick<Trust, 'signers'>,
  scratch: Scratch,
): Promise<readonly string[]> {
  if (!isSshSignature(signed)) {
    const { key, trusted } = await gpgSignatureOf(signed, scratch);
    if (trusted) return [key];
    throw new RefusedError(`the keyring here does not trust the gpg key ${key}`);
  }
  if (signers.kind === 'none') {
    throw new RefusedError(`who may sign is not known: ${signers.why}`);
  }
  const file = join(scratch.folder, 'allowed_signers');
  writeFileSync(file, signers.text);
  return sshPrincipals(signed, file, scratch);
}

/** An unknown key suffices for the policy `any`, but the signature must fit the content. */
async function unknownKey(signed: Signed, scratch: Scratch): Promise<string> {
  const key = isSshSignature(signed)
    ? await sshKeyOf(signed, scratch)
    : (await gpgSignatureOf(signed, scratch)).key;
  return `signed by the unknown key ${key}`;
}

function shown(names: readonly string[]): string {
  return printableLine(names.slice(0, 3).join(', '));
}

const ALLOWED_SIGNERS = '.lanehold/allowed_signers';

export interface Trust {
  readonly require: RequirePolicy;
  /** The principals that stand for CI. */
  readonly ci: ReadonlySet<string>;
  readonly signers: Signers;
  readonly attest: GatePolicy['attest'];
}

export type Signers =
  /** The text of an allowed-signers file, and its origin. */
  | { readonly kind: 'known'; readonly from: string; readonly text: string }
  /** `why` is a clause. */
  | { readonly kind: 'none'; readonly why: string };

/** The commit that is judged, and the one whose policy is trusted. */
interface Sides {
  readonly subject: { readonly oid: string };
  /** `undefined` if others have nothing yet. */
  readonly trusted: string | undefined;
}

const STRICTEST_FIRST: readonly RequirePolicy[] = ['ci', 'signed', 'any'];
/** Agents can write notes, too, so unsigned ones count only where the policy allows it. */
const DEFAULT_REQUIRE: RequirePolicy = 'signed';

/**
 * @param allowedSigners a file that the caller names.
 * @throws {RegistryFileError} if the head's lanehold.json cannot be understood.
 */
export async function trustBetween(
  workspace: Workspace,
  git: Git,
  { subject: { oid: head }, trusted: base }: Sides,
  allowedSigners: string | undefined,
): Promise<Trust> {
  const [headText, baseText, baseSigners] = await blobsAt(git, [
    `${head}:${REGISTRY_FILE}`,
    ...(base === undefined ? [] : [`${base}:${REGISTRY_FILE}`, `${base}:${ALLOWED_SIGNERS}`]),
  ]);
  const read = await registryReader(workspace);
  const own = await read.revision(headText, `lanehold.json in ${head.slice(0, 12)}`);
  const before = base === undefined ? own : await basePolicy(read, baseText);
  const requires = [own, before].map(({ evidence }) => evidence.require ?? DEFAULT_REQUIRE);
  const named = own.evidence.ci;
  const ci = (before.evidence.ci ?? []).filter((it) => named === undefined || named.includes(it));
  return {
    require: STRICTEST_FIRST.find((it) => requires.includes(it)) ?? DEFAULT_REQUIRE,
    ci: new Set(ci),
    signers: await signersFrom(workspace, git, baseSigners, allowedSigners),
    attest: stricter(own.policy, before.policy).attest,
  };
}

/** A base policy that cannot be read is taken as the strictest. */
async function basePolicy(
  read: Awaited<ReturnType<typeof registryReader>>,
  text: string | undefined,
): Promise<Pick<ProjectRegistry, 'evidence' | 'policy'>> {
  try {
    return await read.revision(text, 'lanehold.json in the base');
  } catch (error) {
    if (!(error instanceof ExplainedError && error.code === 'REGISTRY_FILE')) throw error;
    return { evidence: { require: 'ci', ci: [] }, policy: DEFAULT_GATE_POLICY };
  }
}

/** The file that the caller names, else that of the base, else the user's own. */
async function signersFrom(
  { place }: Workspace,
  git: Git,
  baseSigners: string | undefined,
  allowedSigners: string | undefined,
): Promise<Signers> {
  if (allowedSigners !== undefined) {
    const named = signersIn(allowedSigners, place);
    if (named.kind === 'known') return named;
    throw new UsageError(named.why, {
      hint: `keep the file outside of the working tree, or commit it to the base as ${ALLOWED_SIGNERS}`,
    });
  }
  if (baseSigners !== undefined) {
    return { kind: 'known', from: `${ALLOWED_SIGNERS} of the base`, text: baseSigners };
  }
  const setting = ['config', '--type=path', '--get', 'gpg.ssh.allowedSignersFile'];
  const own = await git.maybe(setting);
  if (own !== undefined) return signersIn(own.replace(/\n$/, ''), place);
  const why = `there is no ${ALLOWED_SIGNERS} in the base, nor a file of your own`;
  return { kind: 'none', why };
}

/** A file of the working tree is part of the change that is judged, so it is refused. */
function signersIn(path: string, { root, identity }: ProjectPlace): Signers {
  try {
    const file = realpathSync(resolve(root, path));
    if (isInside(root, file) && !isInside(identity, file)) {
      const why = `${file} is a part of what is judged, so it cannot say who may sign`;
      return { kind: 'none', why };
    }
    return { kind: 'known', from: file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { kind: 'none', why: `the allowed signers cannot be read: ${error.message}` };
  }
}
