/** Verifies features, attests them, or lets them leave unverified. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Actor, actorOf } from '../../agents/actor.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { commitOfHead } from '../../base/git/refs.ts';
import { enumerated } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Assessed, assess } from '../../features/assess.ts';
import { strayFiles } from '../../features/besides.ts';
import { lookAt, policyAt, type Subject } from '../../features/comparison.ts';
import { isOwn, parent } from '../../features/discover/source-tree.ts';
import { explain } from '../../features/reason.ts';
import { notedAsRunning } from '../../features/running.ts';
import {
  type CouldNotRun,
  type Ending,
  recordEvidence,
  type TestEvent,
  verifyFeatures,
} from '../../features/verify.ts';
import type { Workspace } from '../../features/workspace.ts';
import { ordinaryComparison } from '../../gate/compare.ts';
import { heldPushText } from '../../gate/denial.ts';
import { heldPushes, judgedPushes } from '../../gate/held-pushes.ts';
import { pendingHold, selectFeatures } from '../../gate/pending.ts';
import { agreedBy } from '../agreement.ts';
import { type AppContext, openProject } from '../context.ts';
import { comparisonOf, subjectAt } from './holds.ts';
import {
  howToInstall,
  releaseIn,
  type TestedContent,
  withTestedContent,
} from './verification-checkout.ts';

export interface Selection {
  /** Features by name; by default all that are held. */
  readonly features?: readonly string[] | undefined;
  /** The revision whose content counts, in place of the working tree. */
  readonly at?: string | undefined;
  /** What others have; by default what the upstream branch has. Without names: all that it lacks and is not verified. */
  readonly base?: string | undefined;
  /** Tests run although the content was verified elsewhere. */
  readonly again?: boolean | undefined;
}

export interface VerifiedFeature extends Ending, Pick<Assessed, 'definedBy' | 'fingerprint'> {
  readonly feature: string;
  /** Who has vouched for it where it ran, and when; absent if it ran here. */
  readonly elsewhere?: { readonly by: string; readonly at: Date };
}

export interface VerificationReport {
  readonly verified: boolean;
  readonly features: readonly VerifiedFeature[];
  /** Untracked files that were present, and that a commit of the features would hardly include. */
  readonly beside?: readonly string[];
  /** Folders of packages that are new since the last verification of the rest, to which they belong. */
  readonly newPackages?: readonly string[];
}

export interface Progress {
  readonly signal: AbortSignal;
  readonly onTest: (event: TestEvent) => void;
  readonly onStep: (what: string) => void;
}

/** The report for programs if nothing is pending. */
export const NOTHING_PENDING = { verified: [] } as const;

export async function verifySelected(
  context: AppContext,
  selection: Selection,
  progress: Progress,
): Promise<VerificationReport | typeof NOTHING_PENDING> {
  const selected = await select(context, selection);
  const { workspace, subject, items } = selected;
  if (items.length === 0 && selection.base !== undefined) return NOTHING_PENDING;
  if (items.length === 0) return nothingPending(workspace, subject, context.now());
  const packages = await newPackages(selected, context.now());
  const team = existsSync(workspace.store.home.team) ? await import('./team.ts') : undefined;
  const elsewhere: readonly VerifiedFeature[] =
    (!selection.again && (await team?.verifiedElsewhere(context, selected))) || [];
  const names = new Set(elsewhere.map(({ fingerprint }) => fingerprint));
  const left = items.filter(({ fingerprint }) => !names.has(fingerprint));
  const here =
    left.length === 0 ? [] : await verifyContent(context, { ...selected, items: left }, progress);
  const features = [...elsewhere, ...here];
  await team?.sendAside(context, workspace);
  const verified = features.every(({ result }) => result === 'passed');
  if (!verified) return { verified, features };
  const isHere = subject.kind === 'worktree';
  const beside = isHere ? await strayFiles(lookAt(workspace), items) : [];
  return {
    verified,
    features,
    ...(beside.length > 0 && { beside }),
    ...(packages.length > 0 && { newPackages: packages }),
  };
}

async function newPackages({ workspace, subject, items }: TestedContent, now: Date) {
  const rest = items.filter(({ feature }) => feature.rest);
  const limit = { now, maxAgeMs: Number.POSITIVE_INFINITY };
  const [it] = await explain(lookAt(workspace), subject, rest, limit);
  const files = it?.reason.kind === 'changed-since' ? (it.reason.files ?? []) : [];
  const isHere = (path: string) => existsSync(join(workspace.place.root, path));
  return files
    .filter((path) => MANIFEST.test(path) && isHere(path))
    .map(parent)
    .filter(isOwn);
}

const MANIFEST = /\/(?:package\.json|Cargo\.toml|pyproject\.toml|go\.mod)$/;

export async function verifyContent(
  context: AppContext,
  content: TestedContent,
  progress: Progress,
): Promise<readonly VerifiedFeature[]> {
  const { workspace, items } = content;
  const { now } = context;
  const by = actorOf(context);
  const verifier = { actor: by.name, session: by.session, now, ...progress, refusal: releaseIn };
  const names = items.map(({ feature }) => feature.name);
  const done = await notedAsRunning(workspace, names, now(), () =>
    withTestedContent(context, content, progress, (checkout) =>
      verifyFeatures(checkout, items, verifier),
    ),
  );
  const endings = Array.isArray(done) ? done : items.map((): Ending => done);
  const isMissing = endings.some(({ because }) => because === 'program-missing');
  const help = isMissing ? await howToInstall(content) : '';
  const verified: VerifiedFeature[] = [];
  for (const [at, item] of items.entries()) {
    const { feature, definedBy, fingerprint } = item;
    const ending = endings[at] ?? { result: 'interrupted' };
    const { because, why = '' } = ending;
    const hint = because && { hint: ending.hint ?? HELPS[because] ?? help };
    verified.push({ feature: feature.name, definedBy, fingerprint, ...ending, ...hint });
    if (because === undefined) continue;
    // The next denial contains this.
    const statement = { kind: 'failed', reason: redact(why), expiresAt: null } as const;
    await record({ ...content, items: [item] }, statement, by, now());
  }
  return verified;
}

const HELPS: { readonly [Because in CouldNotRun['because']]?: string } = {
  releases: 'take the release out of it: a verification only looks',
  'not-checked-out':
    '`lanehold feature verify NAME --at HEAD` looks at all of the commit, `git sparse-checkout disable` brings the rest',
  'ran-no-test':
    'correct it until it runs a test of the feature, or leave the files to another feature',
};

/**
 * Throws if the commit that is checked out is held: an ordinary push sends it, whatever is in the working tree.
 *
 * @throws {ExplainedError} also for an earlier push of another branch that is still held.
 */
async function nothingPending(
  workspace: Workspace,
  subject: Subject,
  now: Date,
): Promise<typeof NOTHING_PENDING> {
  const { git } = workspace;
  if (git === undefined || subject.kind !== 'worktree') return NOTHING_PENDING;
  const head = await commitOfHead(git);
  if (head === undefined) return NOTHING_PENDING;
  const { features } = await pendingHold(lookAt(workspace), { kind: 'revision', oid: head }, now);
  if (features.length === 0) return nothingElsewhere(workspace, now);
  const names = features.map(({ name }) => name).join(' ');
  const files = [...new Set(features.flatMap(({ beside }) => beside))];
  throw new ExplainedError(
    `nothing is to be verified in the working tree, but a push of HEAD is held for ${names}`,
    {
      hint: `commit, stash or ignore ${enumerated(files, 5)}, or \`lanehold feature verify ${names} --at HEAD\``,
    },
  );
}

async function nothingElsewhere(workspace: Workspace, now: Date): Promise<typeof NOTHING_PENDING> {
  const judged = await judgedPushes(lookAt(workspace), now);
  const [push] = heldPushes(workspace, judged, []);
  if (push === undefined) return NOTHING_PENDING;
  throw new ExplainedError('nothing is to be verified in the working tree, but a push is held', {
    hint: heldPushText(push, { program: 'lanehold', now }),
  });
}

/**
 * Attests features: no smoke test runs.
 *
 * @throws {UsageError} if one has a smoke test that the policy requires.
 */
export async function attestSelected(
  context: AppContext,
  selection: Selection,
  notes: string | undefined,
) {
  const { workspace, subject, items } = await select(context, selection);
  if (items.length === 0) return nothingPending(workspace, subject, context.now());
  if (notes === undefined || isUnfilled(notes)) {
    throw new UsageError('an attestation needs notes', { hint: "--notes 'what was checked'" });
  }
  const policy = await policyAt(workspace, await ordinaryComparison(workspace.git, subject));
  const testable = items.find(({ feature }) => feature.smoke.length > 0);
  if (testable !== undefined && policy.attest === 'without-smoke') {
    const { name } = testable.feature;
    throw new UsageError(`\`${name}\` has a smoke test, so it has to be run`, {
      hint: `\`lanehold feature verify ${name}\`, or set \`gate.attest\` to \`any\``,
    });
  }
  const reason = redact(notes);
  const by = await agreedBy(context, workspace, 'attestation');
  const statement = { kind: 'attested', reason, expiresAt: null } as const;
  await record({ workspace, subject, items }, statement, by, context.now());
  return { attested: items.map(({ feature }) => feature.name), notes: reason };
}

/** True for an empty text, and for an unchanged placeholder. */
const isUnfilled = (text: string): boolean => /^(?:…|REASON|NOTES)?$/.test(text.trim());

export type Waived = Awaited<ReturnType<typeof waive>>;

export interface WaiverWish {
  readonly names: readonly string[];
  readonly at?: string | undefined;
  readonly reason: string;
  /** How long it counts; by default until the content changes. */
  readonly expiresInMs?: number | undefined;
}

/** Lets features leave unverified, for exactly their present content. */
export async function waive(
  context: AppContext,
  { names, at, reason: written, expiresInMs }: WaiverWish,
) {
  if (isUnfilled(written)) {
    throw new UsageError('a waiver needs a reason', { hint: "--reason 'what makes it safe'" });
  }
  const expiresAt =
    expiresInMs === undefined ? null : new Date(context.now().getTime() + expiresInMs);
  const selected = await select(context, { features: names, at });
  const reason = redact(written);
  const by = await agreedBy(context, selected.workspace, 'waiver');
  const evidence = await record(selected, { kind: 'waived', reason, expiresAt }, by, context.now());
  return { waived: names, reason, expiresAt, evidence };
}

/** Waives the present content of a feature, after a person has agreed. */
export async function recordWaiver(
  context: AppContext,
  name: string,
  reason: string,
): Promise<void> {
  const selected = await select(context, { features: [name] });
  const statement = { kind: 'waived', reason, expiresAt: null } as const;
  await record(selected, statement, actorOf(context), context.now());
}

interface StatedEvidence {
  readonly kind: 'attested' | 'waived' | 'failed';
  readonly reason: string;
  readonly expiresAt: Date | null;
}

function record(
  { workspace, subject, items }: TestedContent,
  statement: StatedEvidence,
  { name: actor, session }: Actor,
  now: Date,
): Promise<number[]> {
  const revision = subject.kind === 'revision' ? subject.oid : null;
  const evidence = { ...statement, actor, session, revision, source: null, besides: [], runs: [] };
  return Promise.all(items.map((item) => recordEvidence(workspace, item, evidence, now)));
}

async function select(
  context: AppContext,
  { features, at, base }: Selection,
): Promise<TestedContent> {
  const workspace = await openProject(context);
  const subject = await subjectAt(workspace, at);
  if (base !== undefined && features === undefined) {
    const comparison = await comparisonOf(workspace, { head: at, base });
    const { held } = await assess(lookAt(workspace), { ...comparison, subject }, context.now());
    return { workspace, subject, items: held };
  }
  const items = await selectFeatures(workspace, subject, features ?? 'pending', context.now());
  return { workspace, subject, items };
}
