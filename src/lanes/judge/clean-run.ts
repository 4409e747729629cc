/**
 * One run of a validation, in a checkout that has exactly the files of a commit, the ignored ones that
 * `.worktreeinclude` names, and the dependencies: nothing of a worker's tree, and nothing that `kept-tree.ts` finds of
 * an earlier run.
 */
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { workerEnvironment } from '../../agents/worker/environment.ts';
import { definedOnly } from '../../base/environment.ts';
import { endOfFile } from '../../base/files/plain-file.ts';
import type { Git } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { fileAt, ignoredEntries, untracked } from '../../base/git/paths.ts';
import { endMarkedProcesses } from '../../base/process/end-tree.ts';
import { literally } from '../../base/text/pattern.ts';
import { enumerated, printableLine } from '../../base/text/printable.ts';
import { movedEnvironment, withNewVenv } from '../../checkout/checkout.ts';
import type { Setup } from '../../checkout/find-setups.ts';
import { copyIncluded } from '../../checkout/include.ts';
import { withKeptTree } from '../../checkout/kept-tree.ts';
import { isReusable, setupHash } from '../../checkout/setup.ts';
import { addSubmodules } from '../../checkout/submodules.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { type Lane, laneStore, type Run } from '../../store/lanes.ts';
import type { LaneSettings } from '../settings/settings.ts';
import type { LaneContext } from '../spec/context.ts';
import { validationTrees } from '../spec/paths.ts';
import { assertDiskSpace } from '../tree/disk-space.ts';
import { watchedSettings } from '../tree/git-settings.ts';
import { pause, printBefore, watchedChange } from '../tree/main-checkout.ts';
import type { Surroundings } from '../tree/scratch-tree.ts';
import { laneSetups, mainCheckout, setUpInSlot } from '../tree/setup.ts';
import { askForReports } from './reports/ask.ts';
import { notRun, runValidation, type ValidationRun } from './run-validation.ts';

export interface ValidationCommand extends Pick<Validation, 'cmd' | 'cwd' | 'cmdHash'> {
  readonly timeoutS: number;
  /** The lane's own setup command, in place of the project's. */
  readonly setup: string | undefined;
  readonly ports: number;
}

/** The lane's command; `undefined` if it has none. */
export function commandOf(lane: Lane): ValidationCommand | undefined {
  const { validateCmd: cmd, validateCwd: cwd, validateTimeoutS: timeoutS, cmdHash } = lane;
  const { setup, ports } = lane.spec;
  return cmd === null ? undefined : { cmd, cwd, timeoutS, cmdHash, setup, ports };
}

export interface CleanRunWish
  extends Pick<Validation, 'subject'>,
    Partial<Pick<Validation, 'laneId' | 'attemptId'>> {
  readonly run: Run;
  /** The commit from which the work started: its failures are not new. */
  readonly base: string;
  readonly dir: string;
  readonly place: Surroundings;
  readonly settings: LaneSettings;
  readonly command: ValidationCommand;
  /** The worker's tree, which may have files that are in no commit, as may the user's checkout. */
  readonly worktree?: string;
  readonly priority: number;
  readonly signal: AbortSignal;
}

/** What runs: the files in `old` come from another commit, and those in `spliced` are written. */
interface Subject {
  readonly sha: string;
  readonly log: string;
  readonly old?: { readonly from: string; readonly paths: readonly string[] };
  readonly spliced?: readonly ChangedFile[];
  /** Repeats the command, each time with another text of a file, in the checkout in which it has passed. */
  readonly more?: (
    again: (file: ChangedFile, limitMs: number) => Promise<ValidationRun>,
    passed: ValidationRun,
  ) => Promise<void>;
}

interface ChangedFile {
  readonly path: string;
  readonly text: string;
}

export interface CommitRun extends ValidationRun {
  readonly setupHash: string;
  /** Files that the output names and that are in no commit. */
  readonly absent: readonly string[];
  /** Files of the user's checkout that the command has changed, or the user meanwhile. */
  readonly changedMain: readonly string[];
}

const GRACE_MS = 500;
const ATTRIBUTES = '`.git/info/attributes`';

/** @throws {SetupFailedError}, or if it is aborted. */
export async function cleanRun(
  context: LaneContext,
  wish: CleanRunWish,
  { sha, log, old, spliced = [], more }: Subject,
): Promise<CommitRun> {
  const { run, dir, settings, command, priority, signal } = wish;
  const { store } = context;
  signal.throwIfAborted();
  const watched = await watchedSettings(context, run);
  const { env } = watched;
  if (watched.converted) {
    const why = `${ATTRIBUTES} of the repository, changed since the run began, makes every checkout another one`;
    return { ...notRun(why, join(dir, log)), setupHash: '', absent: [], changedMain: [] };
  }
  const git = gitIn(run.repository, env, { network: true, timeoutMs: CHECKOUT_MS });
  const [checkout] = mainCheckout(run);
  const tree = {
    git,
    oid: sha,
    folder: validationTrees(store.home, run),
    name: basename(run.repository),
    plan: async (root: string) => {
      await addSubmodules(git, { oid: sha, from: [run.repository, run.commonDir], root });
      const included = checkout === undefined ? [] : await copiedFrom(checkout, root, env);
      const toSetUp = { worktree: root, commit: sha, cwd: command.cwd, setup: command.setup };
      const setups = await laneSetups(toSetUp, run, settings, env);
      const hash = await setupHash(git, setups, sha);
      return {
        setups,
        hash,
        key: setups.every(isReusable) ? [hash, ...included].join('\n') : undefined,
      };
    },
    setUp: async (worktree: string, { setups }: { readonly setups: readonly Setup[] }) => {
      const place = { ...wish.place, worktree };
      await setUpInSlot(context, { run, setups, settings, place, dir, priority, signal });
      signal.throwIfAborted();
    },
  };
  return withKeptTree(tree, async ({ root, plan: { setups, hash }, isWhole, spoil }) => {
    let before = stateAsMade(isWhole, sha, old, spliced);
    const place = { ...wish.place, worktree: root };
    const own = workerEnvironment(env, { ...place, stage: 'validate' });
    const moved = checkout === undefined ? own : movedEnvironment(own, checkout, root);
    const runEnv = definedOnly(withNewVenv(moved, setups, run.repository, root));
    const inTree = gitIn(root, env);
    if (old !== undefined && old.paths.length > 0) await takeFrom(inTree, old.from, old.paths);
    for (const { path, text } of spliced) writeFileSync(fileAt(root, path), text);
    const cwd = join(root, command.cwd);
    const validated = async (logFile: string, timeoutMs: number) => {
      const folder = `${logFile}.reports`;
      // Python identifies compiled files by the second in which their source was written.
      const runAs = { ...runEnv, PWD: cwd, ...(more && { PYTHONDONTWRITEBYTECODE: '1' }) };
      const asked = { command: command.cmd, root, cwd, env: runAs, folder };
      const reports = askForReports(asked);
      try {
        const wanted = { ...asked, env: reports.env, reports, logFile, signal, timeoutMs };
        const ran = await runValidation({ ...wanted, git: inTree, before });
        before = undefined;
        signal.throwIfAborted();
        return ran;
      } finally {
        rmSync(folder, { recursive: true, force: true });
        const started = { stages: ['validate'], graceMs: GRACE_MS };
        // A server that still runs would answer the next run on the same port.
        if (await endMarkedProcesses(place.attempt, started)) spoil();
      }
    };
    const logFile = join(dir, log);
    const { ran, changedMain } = await watchingMain(context, wish, sha, watched, (more = '') =>
      validated(`${logFile}${more}`, command.timeoutS * 1000),
    );
    const facts = { setupHash: hash, changedMain };
    if (ran.result === 'pass') {
      const other = `${logFile}.more`;
      const again = ({ path, text }: ChangedFile, limitMs: number) =>
        withText(fileAt(root, path), text, () => validated(other, limitMs));
      if (more !== undefined) {
        spoil();
        await more(again, ran);
        rmSync(other, { force: true });
      }
      return { ...ran, ...facts, absent: [] };
    }
    assertDiskSpace([root, dir]);
    const trees = [wish.worktree ?? [], checkout ?? []].flat();
    return { ...ran, ...facts, absent: await absentFiles(trees, root, logFile, env) };
  });
}

/** The state of a tree that git has just made, unless other files were added. */
const stateAsMade = (
  isWhole: boolean,
  head: string,
  old: Subject['old'],
  spliced: readonly ChangedFile[],
) => (isWhole && old === undefined && spliced.length === 0 ? { head, changes: [] } : undefined);

/** Watches the person's checkout and settings. The base is the user's own work, and may change anything. */
async function watchingMain(
  context: LaneContext,
  { run, base, dir, command, subject, laneId = null, attemptId = null }: CleanRunWish,
  sha: string,
  settings: Awaited<ReturnType<typeof watchedSettings>>,
  work: (more?: string) => Promise<ValidationRun>,
) {
  if (sha === base) return { ran: await work(), changedMain: [] };
  const [checkout] = mainCheckout(run);
  const since = laneEventStore(context.store).newest(run.id);
  const before = checkout && (await printBefore(checkout, context.env));
  const ran = await work();
  const { key = subject } = laneStore(context.store).rowOf(laneId ?? '') ?? {};
  const whose = laneId === null ? `of the ${subject}` : `of lane ${key}`;
  const when = `\`${printableLine(command.cmd, 60)}\` ${whose} ran`;
  const names = await settings.changed();
  const reason = `settings were changed while ${when}: ${enumerated(names, MOST_NAMED)}`;
  if (names.length > 0) pause(context, run, { reason, laneId, attemptId });
  const watched = { since, key, when, dir, laneId, attemptId, again: () => work('.again') };
  const files = before && (await watchedChange(context, run, { before, ...watched }));
  return { ran, changedMain: [...names, ...(files ?? [])] };
}

const MOST_NAMED = 5;

/** The included files, each with a stamp that an edit changes. */
async function copiedFrom(checkout: string, root: string, env: NodeJS.ProcessEnv) {
  const { paths } = await copyIncluded(checkout, root, env);
  return paths.map((path) => {
    const { size, mtimeMs } = lstatSync(join(checkout, path), { throwIfNoEntry: false }) ?? {};
    return [path, size, mtimeMs].join(' ');
  });
}

async function withText<T>(file: string | Buffer, text: string, work: () => Promise<T>) {
  const before = readFileSync(file);
  writeFileSync(file, text);
  try {
    return await work();
  } finally {
    writeFileSync(file, before);
  }
}

/** Takes files from another commit, and removes those that it does not have. */
async function takeFrom(git: Git, commit: string, paths: readonly string[]): Promise<void> {
  const pathspecs = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const restore = ['restore', '--quiet', '--staged', '--worktree', `--source=${commit}`];
  const args = ['--literal-pathspecs', ...restore, ...pathspecs];
  await git.text(args, paths.map((path) => `${path}\0`).join(''));
}

const MOST_ABSENT = 5;
/** The part of the log that is read: missing files are named near its end. */
const MAX_LOG_BYTES = 1024 * 1024;

/**
 * Files that a failed validation names, and that are in a working tree but in no commit.
 *
 * @param trees roots of working trees in which the files may be.
 * @param root the root of the checkout in which the command ran.
 * @returns paths relative to the root.
 */
async function absentFiles(
  trees: readonly string[],
  root: string,
  log: string,
  env: NodeJS.ProcessEnv,
) {
  const text = endOfFile(log, MAX_LOG_BYTES).toString();
  const found = new Set<string>();
  for (const tree of trees.filter((it) => existsSync(it))) {
    const git = gitIn(tree, env);
    for (const path of [...(await ignoredEntries(git)), ...(await untracked(git))]) {
      if (isNamed(path, text) && !existsSync(join(root, path))) found.add(path);
    }
  }
  return [...found].slice(0, MOST_ABSENT);
}

/** Shorter names are words of any text. */
const MIN_NAME = 4;

/** Whether the text has its path, or its name alone: other files of the name are written with their folders. */
function isNamed(path: string, text: string): boolean {
  const [all, name] = [literally(path), literally(basename(path))];
  const pattern = `(?:(?<![\\w.-])(?:${all}|\\./${name})|(?<![\\w./-])${name})(?![\\w.-])`;
  return basename(path).length >= MIN_NAME && new RegExp(pattern).test(text);
}
