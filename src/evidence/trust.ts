/**
 * Decides whose evidence counts. The change that is judged can only make this stricter: keys come
 * from the base, and the stricter of the two policies holds.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { REGISTRY_FILE, type RequirePolicy } from '../config/feature.ts';
import { DEFAULT_GATE_POLICY, type GatePolicy, stricter } from '../config/policy.ts';
import { ExplainedError, UsageError } from '../errors.ts';
import { type ProjectRegistry, registryReader } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { blobsAt } from '../git/blobs.ts';
import type { Git } from '../git/git.ts';
import type { ProjectPlace } from '../git/project.ts';

export const ALLOWED_SIGNERS = '.lanehold/allowed_signers';

export interface Trust {
  readonly require: RequirePolicy;
  /** Principals that are CI. */
  readonly ci: ReadonlySet<string>;
  readonly signers: Signers;
  readonly attest: GatePolicy['attest'];
}

export type Signers =
  /** Text of an allowed-signers file, and where that is from. */
  | { readonly kind: 'known'; readonly from: string; readonly text: string }
  /** `why` is a clause. */
  | { readonly kind: 'none'; readonly why: string };

/** What is judged, and what it is compared with. */
interface Sides {
  readonly subject: { readonly oid: string };
  /** `undefined` where others have nothing yet. */
  readonly trusted: string | undefined;
}

type Policy = Pick<ProjectRegistry, 'evidence' | 'policy'>;

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
    signers: await signersFrom(workspace, git, { baseSigners, allowedSigners }),
    attest: stricter(own.policy, before.policy).attest,
  };
}

/** A base policy that cannot be read is taken as the strictest. */
async function basePolicy(
  read: Awaited<ReturnType<typeof registryReader>>,
  text: string | undefined,
): Promise<Policy> {
  try {
    return await read.revision(text, 'lanehold.json in the base');
  } catch (error) {
    if (!(error instanceof ExplainedError && error.code === 'REGISTRY_FILE')) throw error;
    return { evidence: { require: 'ci', ci: [] }, policy: DEFAULT_GATE_POLICY };
  }
}

interface Sources {
  readonly baseSigners: string | undefined;
  readonly allowedSigners: string | undefined;
}

/** The file that the caller names, else that of the base, else the user's own. */
async function signersFrom(
  { place }: Workspace,
  git: Git,
  { baseSigners, allowedSigners }: Sources,
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

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
