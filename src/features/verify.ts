/**
 * Verification: runs the smoke tests of features and records their results for the content that they
 * ran on. A run is no evidence if the content changed meanwhile.
 */
import { existsSync, lstatSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unmarked } from '../agents/actor.ts';
import type { SmokeTest } from '../base/config/feature.ts';
import { privateFolder } from '../base/files/home.ts';
import { isInside } from '../base/files/inside.ts';
import { fileAt } from '../base/git/paths.ts';
import { differingPaths, type TreeEntry, upwards, withinAny } from '../base/git/tree-entry.ts';
import { runShell } from '../base/process/program.ts';
import { enumerated } from '../base/text/printable.ts';
import { redact } from '../base/text/redact/redact.ts';
import { type EvidenceRun, evidenceStore, hasPassed, type NewEvidence } from '../store/evidence.ts';
import { manifestStore } from '../store/manifests.ts';
import { type Assessed, assessContents, hasNoFiles } from './assess.ts';
import { besidesOf } from './besides.ts';
import { lookAt } from './comparison.ts';
import { failureExcerptOf } from './failure-excerpt.ts';
import { targetOf } from './linked.ts';
import { missingProgram } from './missing-program.ts';
import { keepRedacted, pruneOutputs } from './output.ts';
import { settlePending } from './pending.ts';
import { withoutFiles } from './reason.ts';
import { endOfOutput, ranNoTest } from './test-count.ts';
import { passedWith } from './whole-suite.ts';
import type { Workspace } from './workspace.ts';

export interface Verifier {
  /** `agent <its name>`, `person ada`, `ci`. */
  readonly actor: string;
  readonly session: string | null;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Called when a test starts, and again when it has ended. */
  readonly onTest: (event: TestEvent) => void;
  /** Returns why a test must not run; `undefined` if it may. */
  readonly refusal: (test: SmokeTest, checkout: VerificationCheckout) => string | undefined;
}

export type TestEvent =
  | { readonly kind: 'started'; readonly feature: string; readonly test: SmokeTest }
  | {
      readonly kind: 'ended';
      readonly feature: string;
      readonly test: SmokeTest;
      readonly run: EvidenceRun;
      /** The test ran for another feature before, alone or in its suite; the result counts for both. */
      readonly shared: boolean;
      /** The lines of its output that show the failure; empty if it passed. */
      readonly failure: readonly string[];
      readonly ranNoTest: boolean;
    };

/** How a verification ended, as programs read it. */
export interface Ending {
  readonly result:
    | 'passed'
    | 'failed'
    | 'could-not-run'
    | 'changed-meanwhile'
    | 'no-smoke'
    | 'interrupted';
  readonly evidence?: number;
  readonly runs?: readonly EvidenceRun[];
  /** Files that were written while the tests ran. */
  readonly changedFiles?: readonly string[];
  /** Why it could not run, and what helps. */
  readonly because?: CouldNotRun['because'];
  readonly why?: string;
  readonly hint?: string | undefined;
  /** The lines of its output that show the failure; none if they were shown when the test ended. */
  readonly failure?: readonly string[];
  /** All that was printed before the failure to run. */
  readonly outputFile?: string | null;
}

/** An ending that says nothing about the content. */
export interface CouldNotRun extends Ending {
  readonly result: 'could-not-run';
  readonly because:
    | 'setup-failed'
    | 'program-missing'
    | 'releases'
    | 'ran-no-test'
    | 'not-checked-out'
    | 'no-files';
  readonly why: string;
}

/** The tree that the tests run in, and the project that their evidence is for. */
export interface VerificationCheckout {
  /** The project the evidence belongs to. */
  readonly workspace: Workspace;
  /** The tree the tests run in: the working tree itself, or a temporary one. */
  readonly tree: Workspace;
  /** The commit that is checked out there, if there is one. */
  readonly revision: string | null;
  readonly env: NodeJS.ProcessEnv;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Verifies one feature after the other, and records each result at once. The results are in the order of the items. */
export async function verifyFeatures(
  checkout: VerificationCheckout,
  items: readonly Assessed[],
  verifier: Verifier,
): Promise<Ending[]> {
  const done = new Map<string, Done>();
  const { tree, workspace } = checkout;
  const contents = await Promise.all(items.map((it) => it.entries()));
  const isWorktree = items.some(({ subject }) => subject.kind === 'worktree');
  const besides = isWorktree ? await besidesOf(lookAt(workspace), contents.flat()) : [];
  const atStart = items.map((assessed, at) => {
    const entries = contents[at] ?? [];
    return { assessed, entries, first: stampsOf(tree.place.root, { assessed, entries }), besides };
  });
  const endings = new Map<Item, Ending>();
  // The suite runs first: other tests may pass with it.
  for (const item of atStart.toSorted((one, other) => rank(one) - rank(other)))
    endings.set(item, await verifyOne(checkout, item, verifier, done));
  pruneOutputs(privateFolder(workspace.store.home.runs), verifier.now());
  return atStart.flatMap((item) => endings.get(item) ?? []);
}

const rank = ({ assessed }: Item): number => (assessed.feature.rest ? 0 : 1);

interface Done {
  readonly test: SmokeTest;
  readonly run: EvidenceRun;
  /** It is a test of the feature that has the rest, which may be the whole suite. */
  readonly isSuite: boolean;
}

/** The earlier run of the same command, or of the suite that contains its tests, for another feature. */
function runBefore(test: SmokeTest, done: ReadonlyMap<string, Done>, root: string) {
  const same = done.get(keyOf(test));
  if (same !== undefined) return same.run;
  for (const { test: suite, run, isSuite } of done.values()) {
    if (!isSuite || !hasPassed(run) || !passedWith(test, suite, root)?.(endOfOutput(run))) continue;
    const detail = `${PART_OF}\`${run.command}\``.slice(0, 1000);
    return { ...run, command: redact(test.command), cwd: test.cwd, detail };
  }
  return undefined;
}

const PART_OF = 'passed as a part of ';

/** True if the test did not run by itself: its output is that of the whole suite. */
export const isPartOfSuite = ({ detail }: EvidenceRun) => detail?.startsWith(PART_OF) === true;

const keyOf = ({ cwd, command, timeoutMs }: SmokeTest) => JSON.stringify([cwd, command, timeoutMs]);

interface Item {
  readonly assessed: Assessed;
  readonly entries: readonly TreeEntry[];
  /** The state of its files before anything ran. */
  readonly first: Stamps;
  /** The other files that the tree had then. */
  readonly besides: readonly TreeEntry[];
}

async function verifyOne(
  checkout: VerificationCheckout,
  item: Item,
  verifier: Verifier,
  done: Map<string, Done>,
): Promise<Ending> {
  const { assessed, first } = item;
  const { feature } = assessed;
  if (feature.smoke.length === 0) return { result: 'no-smoke' };
  const [why] = feature.smoke.flatMap((test) => verifier.refusal(test, checkout) ?? []);
  if (why !== undefined) return { ...COULD_NOT_RUN, because: 'releases', why };
  const absent = absentIn(checkout, item);
  if (absent !== undefined) return { ...COULD_NOT_RUN, ...absent };
  const { root } = checkout.tree.place;
  let before = stampsOf(root, item);
  const runs: EvidenceRun[] = [];
  for (const test of feature.smoke) {
    if (verifier.signal.aborted) return { result: 'interrupted' };
    const known = runBefore(test, done, root);
    // The run was for an earlier feature, so this one must not have changed since the start either.
    if (known !== undefined) before = first;
    const run = known ?? (await runTest(checkout, feature.name, test, verifier));
    if (run === undefined) return { result: 'interrupted' };
    done.set(keyOf(test), { test, run, isSuite: feature.rest === true });
    runs.push(run);
    const shared = known !== undefined;
    const outcome = outcomeOf(run, root);
    verifier.onTest({ kind: 'ended', feature: feature.name, test, run, shared, ...outcome });
  }
  const none = runnerMissing(runs) ?? nothingTested(runs, root);
  if (none !== undefined) return { ...COULD_NOT_RUN, ...none };
  const files = await changedMeanwhile(checkout, item, before, verifier.now());
  if (files.length > 0) return { result: 'changed-meanwhile', changedFiles: files };
  return record(checkout, item, runs, verifier);
}

/** A file of the feature that its tests would not find, although they would in a fresh checkout. */
function absentIn({ tree, workspace }: VerificationCheckout, item: Item) {
  const { assessed, entries, first } = item;
  const { name, files } = assessed.feature;
  if (hasNoFiles(assessed, entries)) {
    const why = `no file matches ${enumerated(files, 3)}`;
    return { because: 'no-files', why, hint: withoutFiles(name) } as const;
  }
  const [missing] = [...first.files].find(([, stamp]) => stamp === '') ?? [];
  if (missing !== undefined)
    return { because: 'not-checked-out', why: `${missing} is not checked out here` } as const;
  const [here, there] = [tree.place.root, workspace.place.root];
  const back = entries.find(
    ({ mode, path }) => mode === '120000' && isInside(there, targetOf(join(here, path))),
  );
  if (back === undefined || here === there) return undefined;
  const why = `${back.path} leads into the working tree`;
  return { because: 'not-checked-out', why, hint: 'make it a relative link' } as const;
}

const COULD_NOT_RUN = { result: 'could-not-run', outputFile: null } as const;

/** `undefined` if a failed test did run, or if none has failed. */
function runnerMissing(runs: readonly EvidenceRun[]) {
  const failed = runs.filter((run) => !hasPassed(run));
  const [program, ...more] = failed.map(missingProgram);
  const [first] = failed;
  if (program === undefined || first === undefined || more.includes(undefined)) return undefined;
  const why = `\`${first.command}\`: ${program} is not installed here`;
  return { because: 'program-missing', why, outputFile: first.outputFile } as const;
}

/** What is reported of a run that has ended. */
export function outcomeOf(run: EvidenceRun, root: string) {
  const isEmpty = ranNoTest(run, root);
  const failure = isEmpty || hasPassed(run) ? [] : failureExcerptOf(run.outputFile);
  return { failure, ranNoTest: isEmpty };
}

/** `undefined` if each run has executed a test, or may have, or if one has failed. */
function nothingTested(runs: readonly EvidenceRun[], root: string) {
  const empty = runs.filter((it) => ranNoTest(it, root));
  const [first] = empty;
  if (first === undefined || !runs.every((it) => hasPassed(it) || empty.includes(it))) return;
  const why = `\`${first.command}\` ran no test`;
  return { because: 'ran-no-test', why, outputFile: first.outputFile } as const;
}

/** Runs one test; `undefined` if it was interrupted. */
export async function runTest(
  { workspace, tree, env }: VerificationCheckout,
  feature: string,
  test: SmokeTest,
  verifier: Pick<Verifier, 'onTest' | 'now' | 'signal'>,
): Promise<EvidenceRun | undefined> {
  verifier.onTest({ kind: 'started', feature, test });
  const folder = privateFolder(workspace.store.home.runs);
  const outputFile = join(folder, outputName(feature, verifier.now()));
  const outcome = await runShell({
    command: test.command,
    cwd: join(tree.place.root, test.cwd),
    env: withProjectPython(unmarked(env), [join(tree.place.root, test.cwd), tree.place.root]),
    timeoutMs: test.timeoutMs,
    outputFile,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: verifier.signal,
  });
  const { bytes, digest, tail } = keepRedacted(outputFile);
  if (outcome.kind === 'killed' && outcome.aborted) return undefined;
  return {
    command: redact(test.command),
    cwd: test.cwd,
    outcome: outcome.kind,
    exitCode: outcome.kind === 'exited' ? outcome.exitCode : null,
    detail: 'why' in outcome ? outcome.why : null,
    durationMs: outcome.durationMs,
    outputBytes: bytes,
    outputDigest: digest,
    outputTail: tail,
    outputFile,
  };
}

/** Puts a Python environment in one of these folders first on the path, unless another one is active. */
function withProjectPython(env: NodeJS.ProcessEnv, folders: readonly string[]): NodeJS.ProcessEnv {
  if (env.VIRTUAL_ENV !== undefined) return env;
  const venv = folders
    .flatMap((folder) => ['.venv', 'venv'].map((name) => join(folder, name)))
    .find((it) => existsSync(join(it, 'pyvenv.cfg')));
  if (venv === undefined) return env;
  return { ...env, PATH: [join(venv, 'bin'), env.PATH ?? ''].join(delimiter) };
}

/** The file of an output, which `pruneOutputs` deletes later. */
export function outputName(what: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(/[:.]/g, '-');
  const unique = Math.random().toString(36).slice(2, 8);
  return `${stamp}-${what.replaceAll('/', '_').slice(0, 60)}-${unique}.log`;
}

/** The files that were written meanwhile, even if their content is the same in the end. */
async function changedMeanwhile(
  { workspace, tree }: VerificationCheckout,
  item: Item,
  before: Stamps,
  now: Date,
): Promise<string[]> {
  const { root } = tree.place;
  const { content, definedBy } = item.assessed;
  const stamps = stampsOf(root, item);
  const touched = [...before.files].filter(([path, stamp]) => stamps.files.get(path) !== stamp);
  // Git reads the whole tree, which takes long if it is large: it is asked only if something was written.
  const isUntouched = touched.length === 0 && before.folders === stamps.folders;
  if (isUntouched && !before.isRecent) return [];
  const [after] = await assessContents(
    lookAt({ ...tree, projectId: workspace.projectId }),
    { kind: 'worktree' },
    [{ content, definedBy }],
    { now, maxAgeMs: Number.POSITIVE_INFINITY },
  );
  const differing = differingPaths(item.entries, (await after?.entries()) ?? []);
  return differing.length > 0 ? differing : touched.map(([path]) => path);
}

interface Stamps {
  /** A stamp for each path. */
  readonly files: ReadonlyMap<string, string>;
  /** One text for all folders of the files: a file that comes or goes changes its folder. */
  readonly folders: string;
  /** A file was written just before, so its next change may get the same time. */
  readonly isRecent: boolean;
}

/** Some file systems count time in steps of this length. */
const TIME_STEP_NS = 2_000_000_000n;

/** Stamps contain ctime, because programs can set mtime. */
function stampsOf(
  root: string,
  { assessed: { content }, entries }: Pick<Item, 'assessed' | 'entries'>,
): Stamps {
  let newest = 0n;
  const stampOf = (path: string): string => {
    const stats = lstatSync(fileAt(root, path), { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return '';
    if (stats.ctimeNs > newest) newest = stats.ctimeNs;
    return `${stats.ctimeNs} ${stats.size} ${stats.ino}`;
  };
  const files = new Map(entries.map(({ path }) => [path, stampOf(path)]));
  const isWanted = withinAny(content.bases);
  const folders = new Set(content.bases);
  for (const { path } of entries) {
    for (const folder of upwards(path)) {
      if (folder !== path && isWanted(folder)) folders.add(folder);
    }
  }
  return {
    files,
    folders: [...folders].map((it) => `${it} ${stampOf(it)}`).join('\n'),
    isRecent: newest + TIME_STEP_NS > BigInt(Date.now()) * 1_000_000n,
  };
}

async function record(
  checkout: VerificationCheckout,
  { assessed, besides }: Item,
  runs: readonly EvidenceRun[],
  { actor, session, now }: Verifier,
): Promise<Ending> {
  const result = runs.every(hasPassed) ? 'passed' : 'failed';
  const { revision, workspace } = checkout;
  const facts = {
    actor,
    session,
    reason: null,
    expiresAt: null,
    revision,
    source: null,
    besides,
    runs,
  };
  const evidence = await recordEvidence(workspace, assessed, { ...facts, kind: result }, now());
  return { result, evidence, runs };
}

type EvidenceFacts = Omit<NewEvidence, 'projectId' | 'feature' | 'fingerprint'>;

/** Writes one record with all that belongs to it, and settles what was pending. */
export async function recordEvidence(
  workspace: Workspace,
  assessed: Assessed,
  statement: EvidenceFacts,
  now: Date,
): Promise<number> {
  const { store, projectId } = workspace;
  const { feature, fingerprint, subject } = assessed;
  const entries = await assessed.entries();
  const evidence = evidenceStore(store);
  const manifests = manifestStore(store);
  return store.write(() => {
    const id = evidence.add({ projectId, feature: feature.name, fingerprint, ...statement }, now);
    if (statement.kind !== 'failed') {
      manifests.put(projectId, fingerprint, entries);
      // A verification of another commit says nothing about the working tree.
      if (subject.kind === 'worktree') settlePending(workspace, feature.name);
    }
    return id;
  });
}
