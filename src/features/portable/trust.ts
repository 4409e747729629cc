/**
 * Whose evidence counts. What is being judged has no say in it but to ask for more: the keys are
 * those that the base knows, and of the two policies the stricter one holds.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { ExplainedError, UsageError } from '../../errors.ts';
import { blobsAt } from '../../project/blobs.ts';
import type { Git } from '../../project/git.ts';
import type { RequirePolicy } from '../feature.ts';
import { DEFAULT_GATE_POLICY, type GatePolicy, stricter } from '../policy.ts';
import { type ProjectRegistry, revisionRegistry } from '../registry.ts';
import { REGISTRY_FILE } from '../registry-name.ts';
import type { Workspace } from '../workspace.ts';

export const ALLOWED_SIGNERS = '.lanehold/allowed_signers';

export interface Trust {
  readonly require: RequirePolicy;
  /** Principals that are CI. */
  readonly ci: ReadonlySet<string>;
  /** Text of an allowed-signers file, and where it is from; `undefined` if nobody is known. */
  readonly signers: { readonly from: string; readonly text: string } | undefined;
  readonly attest: GatePolicy['attest'];
}

export interface Sides {
  readonly head: string;
  /** `undefined` where others have nothing yet. */
  readonly base: string | undefined;
}

type Policy = Pick<ProjectRegistry, 'evidence' | 'policy'>;

const STRICTEST_FIRST: readonly RequirePolicy[] = ['ci', 'signed', 'any'];

/**
 * @param allowedSigners a file that the caller names.
 * @throws {RegistryFileError} if the head's lanehold.json cannot be understood.
 */
export async function trustBetween(
  workspace: Workspace,
  git: Git,
  { head, base }: Sides,
  allowedSigners: string | undefined,
): Promise<Trust> {
  const [headText, baseText, baseSigners] = await blobsAt(git, [
    `${head}:${REGISTRY_FILE}`,
    ...(base === undefined ? [] : [`${base}:${REGISTRY_FILE}`, `${base}:${ALLOWED_SIGNERS}`]),
  ]);
  const own = await revisionRegistry(workspace, headText, 'lanehold.json in the head');
  const before = base === undefined ? own : await basePolicy(workspace, baseText);
  const requires = [own, before].map(({ evidence }) => evidence.require ?? 'any');
  const named = own.evidence.ci;
  const ci = (before.evidence.ci ?? []).filter((it) => named === undefined || named.includes(it));
  return {
    require: STRICTEST_FIRST.find((it) => requires.includes(it)) ?? 'any',
    ci: new Set(ci),
    signers: await signersFrom(workspace, git, { baseSigners, allowedSigners }),
    attest: stricter(own.policy, before.policy).attest,
  };
}

/** One that cannot be read may have asked for anything. */
async function basePolicy(workspace: Workspace, text: string | undefined): Promise<Policy> {
  try {
    return await revisionRegistry(workspace, text, 'lanehold.json in the base');
  } catch (error) {
    if (!(error instanceof ExplainedError && error.code === 'REGISTRY_FILE')) throw error;
    return { evidence: { require: 'ci', ci: [] }, policy: DEFAULT_GATE_POLICY };
  }
}

interface Sources {
  readonly baseSigners: string | undefined;
  readonly allowedSigners: string | undefined;
}

/** Named by the caller, else decided by the project, else this person's own. */
async function signersFrom(
  { place }: Workspace,
  git: Git,
  { baseSigners, allowedSigners }: Sources,
): Promise<Trust['signers']> {
  if (allowedSigners !== undefined)
    return signersIn(allowedSigners, place.root, '--allowed-signers');
  if (baseSigners !== undefined) {
    return { from: `${ALLOWED_SIGNERS} of the base`, text: baseSigners };
  }
  const setting = 'gpg.ssh.allowedSignersFile';
  const own = await git.maybe(['config', '--type=path', '--get', setting]);
  return own === undefined
    ? undefined
    : signersIn(own.replace(/\n$/, ''), place.root, `the setting ${setting}`);
}

/** A file of the working tree comes with what is judged: it could name anybody. */
function signersIn(path: string, root: string, source: string): Trust['signers'] {
  let text: string;
  let file: string;
  try {
    file = realpathSync(resolve(root, path));
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`cannot read the allowed signers: ${detail}`, {
      hint: `correct ${source}`,
      cause,
    });
  }
  const inside = relative(root, file);
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) {
    throw new UsageError(`${file} is a part of what is judged, so it cannot say who may sign`, {
      hint: `keep the file outside of the working tree, or commit it to the base as ${ALLOWED_SIGNERS}`,
    });
  }
  return { from: file, text };
}
