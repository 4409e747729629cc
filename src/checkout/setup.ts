/** Sets up a tree: copies installed packages, restores an earlier result from the cache, or runs the command. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt, ExplainedError } from '../base/errors.ts';
import { isDeniedPath } from '../base/files/denied-paths.ts';
import type { Git } from '../base/git/git.ts';
import { gitIn } from '../base/git/git-in.ts';
import { ignoredEntries, splitNul, untrackedEntries } from '../base/git/paths.ts';
import { isWithin } from '../base/git/tree-entry.ts';
import { treeAt } from '../base/git/tree-objects.ts';
import { failureOf, runShell } from '../base/process/program.ts';
import { run } from '../base/process/run.ts';
import { printableLine } from '../base/text/printable.ts';
import { redact } from '../base/text/redact/redact.ts';
import { matcher } from '../features/match.ts';
import { keepRedacted } from '../features/output.ts';
import { hasLinkInto, hasNameElsewhere } from './copy-folder.ts';
import type { Search, Setup } from './find-setups.ts';
import { copyInstalled } from './installed.ts';
import { installedState, RUNTIMES, SHARED_FOLDERS } from './package-managers.ts';
import { keepSetup, restoreSetup, type SetupCache } from './setup-cache.ts';

export interface SetupWish {
  readonly setup: Setup;
  /** Root of the tree. */
  readonly worktree: string;
  /** Roots of the checkouts in which it may be installed. */
  readonly installedIn?: readonly string[];
  /** The setting with which a person corrects a setup: `verify.setup`. */
  readonly setting: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  readonly logFile: string;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly cache: SetupCache;
  /** Trees share packages by links: from this cache if the folder exists, else from the package manager's store. */
  readonly links?: { readonly shared: SetupCache | undefined } | undefined;
  /** Called when a step begins, with words for a person. */
  readonly onStep?: (what: string) => void;
}

export type SetupRun =
  | { readonly kind: 'nothing-to-do' | 'copied' | 'restored' | 'linked' | 'interrupted' }
  /** `kept`: the result is in the cache. */
  | { readonly kind: 'ran'; readonly durationMs: number; readonly kept: boolean };

/** Long enough to download dependencies, and to compile them. */
const SETUP_TIMEOUT_MS = 1_800_000;

const MAX_LAST_LINE = 200;
const MAX_COMMAND = 80;
const MAX_LINES = 12;
/** npm ends with advice; the first line that is no code gives the reason. */
const NPM_REASON = /^npm (?:error|ERR!) (?!code |errno |syscall )(\S.*)$/m;

export class SetupFailedError extends ExplainedError {
  override readonly code = 'SETUP_FAILED';
  /** The end of its output, redacted. */
  readonly tail: string;
  /** Some lines with the reason, redacted. */
  readonly failure: readonly string[];

  constructor(
    how: string,
    { setup, logFile, setting }: SetupWish,
    { tail, failure }: Pick<SetupFailedError, 'tail' | 'failure'>,
  ) {
    const lines = tail.trimEnd().split('\n');
    const reason = NPM_REASON.exec(failure.join('\n'))?.[1] ?? lines.at(-1) ?? '';
    const last = reason.slice(0, MAX_LAST_LINE);
    const { command = '', manager } = setup;
    const named = `\`${printableLine(redact(command), MAX_COMMAND)}\``;
    const what = manager === undefined ? 'the setup command' : named;
    super(`${what} ${how}${last === '' ? '' : `: ${last}`}`, {
      hint: `read ${logFile}, then correct \`${setting}\``,
    });
    this.tail = tail;
    this.failure = failure;
  }
}

/** Programs that build what these files lock, and install it when they need it. */
const BUILDERS: readonly (readonly [lock: string, program: string])[] = [
  ['Cargo.lock', 'cargo'],
  ['go.mod', 'go'],
  ['mix.lock', 'mix'],
];

/**
 * The programs that setups and builds would start and that are not installed, each as a clause. A
 * setup whose result is copied, or that has another way, is left out.
 *
 * @param paths the paths of the tree.
 */
export async function missingInstallers(
  setups: readonly Setup[],
  { paths, folders, installedIn, env }: Omit<Search, 'root'> & Readonly<{ env: NodeJS.ProcessEnv }>,
): Promise<string[]> {
  const builds = folders.flatMap((folder) =>
    BUILDERS.map(([lock, program]) => ({ lock: join(folder, lock), program })),
  );
  const wanted = [
    ...setups.flatMap((setup) => {
      const { command = '', cwd, manager } = setup;
      const first = firstProgram(command);
      const hasChoice = manager === undefined && command.includes('||');
      if (isInstalledIn(installedIn, setup) || hasChoice || first === '') return [];
      const lock = manager === undefined ? 'the setup' : `\`${join(cwd, manager.lock)}\``;
      return { program: first, what: lock };
    }),
    ...builds
      .filter(({ lock }) => paths.includes(lock))
      .map(({ lock, program }) => ({ program, what: `\`${lock}\`` })),
  ];
  const missing = await Promise.all(
    wanted.map(async ({ program, what }) =>
      (await hasProgram(program, env))
        ? []
        : `${what} needs \`${program}\`, which is not installed`,
    ),
  );
  return [...new Set(missing.flat())];
}

/** What a command line starts first, where that is a plain name; else empty. */
export const firstProgram = (command: string): string =>
  /^\s*(?:\w+=\S*\s+)*([\w.+-]+)(?=\s|$)/.exec(command)?.[1] ?? '';

/** Whether a shell finds it; it has programs of its own. */
export async function hasProgram(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const asked = ['-c', 'command -v "$1"', 'sh', program];
  const outcome = await run('/bin/sh', asked, { cwd: '/', env });
  return outcome.kind === 'exited' && outcome.exitCode === 0;
}

const isInstalledIn = (roots: readonly string[], { cwd, manager }: Setup): boolean =>
  roots.some((root) => {
    const text = attempt(() => readFileSync(join(root, cwd, manager?.lock ?? ''), 'utf8'));
    return text !== undefined && manager?.isInstalled(join(root, cwd), text) === true;
  });

/** Whether each tree needs its own copy of the packages because it cannot share them. */
export const needsSharing = (setup: Setup, installedIn: readonly string[]): boolean =>
  isReusable(setup) &&
  setup.manager?.folders.every((it) => SHARED_FOLDERS.has(it)) !== false &&
  (setup.manager?.fromStore === undefined || isInstalledIn(installedIn, setup));

/** Installations set up git hooks, which all worktrees of a repository share. */
const WITHOUT_HOOKS = { HUSKY: '0', LEFTHOOK: '0', SKIP_INSTALL_SIMPLE_GIT_HOOKS: '1' };

const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** @throws {SetupFailedError} if the command fails. */
export async function runSetup(wish: SetupWish): Promise<SetupRun> {
  const git = gitIn(wish.worktree, wish.env);
  const done = await runOrShare(git, wish);
  await ignorePackages(git, wish);
  return done;
}

/** Where the commit does not ignore packages yet, they ignore themselves: else they would be committed with the work. */
async function ignorePackages(git: Git, { setup: { cwd, manager }, worktree }: SetupWish) {
  if (manager === undefined) return;
  for (const path of await untrackedEntries(git)) {
    const folder = join(worktree, path);
    const isOne = manager.folders.some((it) => `/${path}`.endsWith(`/${it}`));
    if (!isOne || !isWithin(cwd, path) || !lstatSync(folder).isDirectory()) continue;
    writeFileSync(join(folder, '.gitignore'), '*\n');
  }
}

async function runOrShare(git: Git, wish: SetupWish): Promise<SetupRun> {
  const { setup, worktree, links, installedIn = [], now } = wish;
  const { manager, cwd } = setup;
  const shared = links?.shared;
  const ownKey = shared && (await setupCacheKey(git, wish));
  if (shared === undefined || ownKey === undefined) return install(wish);
  const state = manager && installedIn.map((root) => installedState(join(root, cwd), manager));
  const key = hash([ownKey, JSON.stringify(state ?? [])]);
  if (await restoreSetup(shared, key, worktree, now())) return { kind: 'linked' };
  const before = new Set(await ignoredEntries(git));
  const done = await install(wish);
  const paths = (await ignoredEntries(git)).filter((path) => !before.has(path));
  const arePackages = paths.every(
    (path) => SHARED_FOLDERS.has(basename(path)) && lstatSync(join(worktree, path)).isDirectory(),
  );
  if (done.kind === 'interrupted' || paths.length === 0 || !arePackages) return done;
  if (paths.some((path) => hasNameElsewhere(join(worktree, path)))) return done;
  await keepSetup(shared, key, worktree, { paths, now: now() });
  return done;
}

/**
 * Installs by links from the store of the package manager. False if something is installed already,
 * the store is incomplete, or the program is missing; a failed try leaves nothing.
 */
async function installFromStore(git: Git, wish: SetupWish) {
  const { setup, worktree, links } = wish;
  const { manager, cwd } = setup;
  if (links === undefined || manager?.fromStore === undefined) return false;
  const { folders } = manager;
  const own = folders.map((it) => join(cwd, it));
  // The packages of a workspace are also in folders beside each member.
  const found = async (): Promise<string[]> => [
    ...own.filter((it) => lstatSync(join(worktree, it), { throwIfNoEntry: false })),
    ...(await ignoredEntries(git)).filter(
      (path) => isWithin(cwd, path) && folders.includes(basename(path)),
    ),
  ];
  if ((await found()).length > 0) return false;
  const outcome = await runCommand(wish, manager.fromStore);
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return true;
  for (const it of await found()) rmSync(join(worktree, it), { recursive: true, force: true });
  return false;
}

async function takeStored(git: Git, wish: SetupWish, key: string) {
  if (await installFromStore(git, wish)) return 'linked';
  wish.onStep?.('looking for an earlier setup');
  const isRestored = await restoreSetup(wish.cache, key, wish.worktree, wish.now());
  return isRestored ? 'restored' : undefined;
}

async function install(wish: SetupWish): Promise<SetupRun> {
  const { setup, worktree, installedIn = [], env, onStep = () => undefined } = wish;
  for (const from of setup.manager === undefined ? [] : installedIn) {
    onStep(`copying ${setup.manager?.folders[0]} from ${from}`);
    if (await copyInstalled({ from, to: worktree }, setup, env)) return { kind: 'copied' };
  }
  const { command } = setup;
  if (command === undefined) return { kind: 'nothing-to-do' };
  const git = gitIn(worktree, env);
  const key = await setupCacheKey(git, wish);
  const stored = key === undefined ? undefined : await takeStored(git, wish, key);
  if (stored !== undefined) return { kind: stored };
  const before = key === undefined ? undefined : await readState(git);
  onStep(`setting up: ${command}`);
  const { tail, ...outcome } = await runCommand(wish, command);
  if (outcome.kind === 'killed' && outcome.aborted) return { kind: 'interrupted' };
  const failure = failureOf(outcome, wish.timeoutMs ?? SETUP_TIMEOUT_MS);
  if (failure !== undefined) {
    // The import is here because most setups succeed, and a supervisor stays small without it.
    const { failureExcerptOf } = await import('../features/failure-excerpt.ts');
    const lines = failureExcerptOf(wish.logFile).slice(0, MAX_LINES);
    throw new SetupFailedError(failure, wish, { tail, failure: lines });
  }
  const kept = before !== undefined && key !== undefined && (await keep(git, wish, key, before));
  return { kind: 'ran', durationMs: outcome.durationMs, kept };
}

/** Runs the command. `tail` is the end of its output. */
async function runCommand(wish: SetupWish, command: string) {
  const { setup, worktree, env, logFile, timeoutMs = SETUP_TIMEOUT_MS, signal } = wish;
  const outcome = await runShell({
    command,
    cwd: join(worktree, setup.cwd),
    timeoutMs,
    signal,
    env: { ...env, ...WITHOUT_HOOKS },
    outputFile: logFile,
    maxOutputBytes: MAX_LOG_BYTES,
  });
  return { ...outcome, tail: keepRedacted(logFile).tail };
}

async function readState(git: Git) {
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'];
  const [ignored, status] = await Promise.all([ignoredEntries(git), git.text(args)]);
  return { ignored: new Set(ignored), status };
}

type State = Awaited<ReturnType<typeof readState>>;

/**
 * Caches a result only if it can replace the command: new ignored files, and no other change. Secrets are not cached,
 * nor files that contain the worktree's path, nor what a package manager writes outside of its packages.
 */
async function keep(git: Git, wish: SetupWish, key: string, before: State): Promise<boolean> {
  const { worktree, cache, setup } = wish;
  const [after, sameKey] = await Promise.all([readState(git), setupCacheKey(git, wish)]);
  if (after.status !== before.status || sameKey !== key) return false;
  const made = [...after.ignored].filter((path) => !before.ignored.has(path));
  // A virtual environment of Python contains its own path in many files.
  const isBound = (path: string): boolean => existsSync(join(worktree, path, 'pyvenv.cfg'));
  const folders = setup.manager?.folders;
  const isMore = (path: string): boolean =>
    folders?.some((it) => path === it || path.endsWith(`/${it}`)) === false;
  const isOut = (path: string): boolean => isDeniedPath(path) || isBound(path) || isMore(path);
  if (made.length === 0 || made.some(isOut)) return false;
  if (await hasLinkInto(worktree, made)) return false;
  return keepSetup(cache, key, worktree, { paths: made, now: wish.now() });
}

/** Changed whenever the format of the hashed bytes changes. */
const FORMAT = 'setup/1';

/** The hash of a commit's setups, on which a validation depends. Empty if there are none. */
export async function setupHash(
  git: Git,
  setups: readonly Setup[],
  commit: string,
): Promise<string> {
  if (setups.length === 0) return '';
  const parts: string[] = [];
  for (const { command, cwd, keyFiles } of setups) {
    const { bases, matches } = matcher(keyFiles);
    const lines = (await treeAt(git, commit, bases))
      .filter(({ path }) => matches(path))
      .map(({ mode, oid, path }) => `${mode} ${oid} ${path}`);
    parts.push(command ?? '', ...(cwd === '' ? [] : [cwd]), ...lines.sort());
  }
  return hash([FORMAT, ...parts]);
}

/** True if the inputs of the result are known. */
export const isReusable = ({ keyFiles, buildsProject = false }: Setup): boolean =>
  keyFiles.length > 0 && !buildsProject;

/** `undefined` if the inputs of the result are unknown. */
async function setupCacheKey(
  git: Git,
  { setup, worktree, env }: SetupWish,
): Promise<string | undefined> {
  const { command = '', cwd, keyFiles, manager } = setup;
  if (!isReusable(setup)) return undefined;
  const { matches } = matcher(keyFiles);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = [...new Set(splitNul(await git.text(args)))].filter(matches).sort();
  const files = paths.flatMap((path) => {
    const file = join(worktree, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? [path, hash([readFileSync(file)])] : [];
  });
  if (files.length === 0) return undefined;
  const runtime = RUNTIMES[manager?.language ?? 'javascript'];
  const machine = [process.platform, process.arch, await versionOf(runtime, worktree, env)];
  return hash([FORMAT, command, ...(cwd === '' ? [] : [cwd]), ...machine, ...files]);
}

/** The version that the command will use: compiled files fit no other. */
async function versionOf(program: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const outcome = await run(program, ['--version'], { cwd, env });
  return outcome.kind === 'exited' ? outcome.stdout.toString('utf8').trim() : 'none';
}

function hash(parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}
