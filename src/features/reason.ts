/** Why a feature is held. It is worked out only for held features, because it reads more. */

import { differingPaths } from '../base/git/tree-entry.ts';
import { mapInTurns } from '../base/turns.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import type { Assessed } from './assess.ts';
import { besidesOf, lackingIn } from './besides.ts';
import type { Look, Subject } from './comparison.ts';
import { type Content, contentsIn } from './contents.ts';
import { type AgeLimit, evidenceStatus } from './evidence-status.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { Workspace } from './workspace.ts';

export type HoldReason = {
  /** Why its tests could not run for this content, which says nothing about the content. */
  readonly notRun?: string | undefined;
} & (
  | { readonly kind: 'never-verified' }
  /** The newest record about exactly this content is a failed run. */
  | { readonly kind: 'failed'; readonly evidence: Evidence }
  | { readonly kind: 'waiver-expired'; readonly evidence: Evidence }
  /** The evidence is older than the policy allows. */
  | { readonly kind: 'too-old'; readonly evidence: Evidence }
  /** Verified with other content. `files` is unknown if that content was not recorded. */
  | {
      readonly kind: 'changed-since';
      readonly evidence: Evidence;
      readonly files: readonly string[] | undefined;
    }
  /** Its tests passed in a working tree that also had these files, which do not leave. */
  | {
      readonly kind: 'verified-beside';
      readonly evidence: Evidence;
      readonly files: readonly string[];
    }
  /** The working tree is verified, but something else leaves. */
  | {
      readonly kind: 'verified-elsewhere';
      readonly files: readonly string[];
      /** All of these files can be meant to leave: a rest has any untracked file. */
      readonly areOwn: boolean;
    }
);

/** Number of records that are searched for the last valid one. */
export const HISTORY = 50;

export const isNoFailure = ({ kind }: Evidence): boolean => kind !== 'failed';

export interface Explained {
  readonly assessed: Assessed;
  readonly reason: HoldReason;
  /** Paths at which the working tree has other content. */
  readonly differing: readonly string[];
  /** Other files that the tree has, and the subject lacks. If this and `differing` are empty, a run there is enough. */
  readonly beside: readonly string[];
}

export async function explain(
  look: Look,
  subject: Subject,
  held: readonly Assessed[],
  limit: AgeLimit,
): Promise<Explained[]> {
  const [worktree, ...own] = await Promise.all([
    inWorktree(look, subject, held),
    ...held.map((it) => it.entries()),
  ]);
  const besides = worktree === undefined ? [] : await besidesOf(look, own.flat());
  const lacking = (await lackingIn(look, subject, besides))({ besides });
  return mapInTurns(held, async (assessed, at) => {
    const here = worktree?.[at];
    const isSame = here === undefined || here.fingerprint === assessed.fingerprint;
    const differing = isSame ? [] : differingPaths(await here.entries(), await assessed.entries());
    const elsewhere = isSame ? undefined : { fingerprint: here.fingerprint, differing };
    const found = await reasonFor(look, assessed, elsewhere, limit);
    const { notRun } = evidenceStore(look.store);
    const reason = { ...found, notRun: notRun(look.projectId, assessed.fingerprint) };
    const beside = [...new Set(lacking)].filter((it) => !differing.includes(it));
    return { assessed, reason, differing, beside };
  });
}

/** What can be done about a feature without files. */
export const withoutFiles = (name: string, program = 'lanehold'): string =>
  `say where its files are now: \`${program} feature add ${name} --replace --files 'GLOB'\`; if they are gone for good: \`${program} feature remove ${name}\``;

/** @param elsewhere the content of the working tree, if it differs from the held one. */
async function reasonFor(
  workspace: Workspace,
  assessed: Assessed,
  elsewhere:
    | { readonly fingerprint: Fingerprint; readonly differing: readonly string[] }
    | undefined,
  limit: AgeLimit,
): Promise<HoldReason> {
  const { status, feature } = assessed;
  if (!status.valid && status.last !== undefined) {
    const { last, beside } = status;
    if (beside.length > 0) return { kind: 'verified-beside', evidence: last, files: beside };
    return { kind: shortcoming(last, limit.now), evidence: last };
  }
  const records = evidenceStore(workspace.store);
  if (elsewhere !== undefined) {
    const about = records.ofContent(workspace.projectId, elsewhere.fingerprint);
    const files = elsewhere.differing;
    if (evidenceStatus(about, limit).valid) {
      const tracked = new Set((await assessed.entries()).map(({ path }) => path));
      const areOwn = !feature.rest || files.every((it) => tracked.has(it));
      return { kind: 'verified-elsewhere', files, areOwn };
    }
  }
  const history = records.ofFeature(workspace.projectId, feature.name, HISTORY);
  const evidence = history.find(isNoFailure);
  if (evidence === undefined) return { kind: 'never-verified' };
  const since = await changedSince(workspace, evidence, assessed);
  return { kind: 'changed-since', evidence, files: since };
}

/** Why the newest record about this very content does not suffice. */
export function shortcoming({ kind, expiresAt }: Evidence, now: Date) {
  if (kind === 'failed') return 'failed';
  return expiresAt !== null && expiresAt <= now ? 'waiver-expired' : 'too-old';
}

/** The features in the working tree; `undefined` if it is the subject, or there is none. */
async function inWorktree(
  look: Look,
  subject: Subject,
  held: readonly Assessed[],
): Promise<readonly Content[] | undefined> {
  if (held.length === 0 || subject.kind === 'worktree' || look.place.kind !== 'git')
    return undefined;
  const contents = held.map(({ content }) => content);
  return contentsIn(look, { kind: 'worktree' }, contents);
}

async function changedSince(
  { store, projectId }: Workspace,
  evidence: Evidence,
  assessed: Assessed,
): Promise<string[] | undefined> {
  const { manifestStore } = await import('../store/manifests.ts');
  const before = manifestStore(store).find(projectId, evidence.fingerprint);
  return before && differingPaths(before, await assessed.entries());
}
