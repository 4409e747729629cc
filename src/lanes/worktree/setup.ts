/** Sets up a worktree: runs the user's command, or restores its earlier result from the cache. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttemptPlace, workerEnvironment } from '../../agents/worker/environment.ts';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { matcher } from '../../features/match.ts';
import { keepRedacted } from '../../features/output.ts';
import { type Git, gitIn } from '../../git/git.ts';
import { ignoredEntries, splitNul } from '../../git/paths.ts';
import { treeAt } from '../../git/tree.ts';
import { run } from '../../process/run.ts';
import { runShell, type ShellOutcome } from '../../process/run-shell.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { locksOf } from '../paths.ts';
import type { LaneSettings } from '../workers/settings.ts';
import { isDeniedPath } from './denied-paths.ts';
import { hasLinkInto, keepSetup, restoreSetup, type SetupCache } from './setup-cache.ts';

interface SlotSetup extends Pick<SetupWish, 'command' | 'signal'> {
  readonly run: Run;
  readonly settings: Pick<LaneSettings, 'setupCache' | 'slots'>;
  readonly place: Omit<AttemptPlace, 'stage'>;
  /** The folder of logs. */
  readonly dir: string;
  readonly priority: number;
}

/** Long enough to download dependencies, and to compile them. */
const TIMEOUT_MS = 1_800_000;

/**
 * Runs a setup command as soon as a slot is free, or takes its result from the cache.
 *
 * @param atEnd runs before the slot is released.
 * @throws {SetupFailedError}
 */
export async function setUpInSlot(
  { store, env, now }: LaneContext,
  { run: { commonDir: project }, command, settings, place, dir, signal, priority }: SlotSetup,
  atEnd: () => Promise<unknown> = async () => undefined,
): Promise<SetupRun> {
  const locks = locksOf(store.home);
  const count = settings.slots.setup ?? defaultSlots().setup;
  const wish = { kind: 'setup', count, priority, owner: place.attempt } as const;
  const slot = await waitForSlot(locks, wish, signal);
  try {
    return await runSetup({
      ...{ command, keyFiles: settings.setupCache, worktree: place.worktree, signal, now },
      env: workerEnvironment(env, { ...place, stage: 'setup' }),
      timeoutMs: TIMEOUT_MS,
      logFile: join(dir, 'setup.log'),
      cache: { folder: join(store.home.root, 'cache', 'setup'), locks, project },
    });
  } finally {
    await atEnd();
    slot.release();
  }
}

interface SetupDefinition {
  /** `undefined`: there is nothing to set up. */
  readonly command: string | undefined;
  /** Globs of the files that the result depends on: lock files of package managers. */
  readonly keyFiles: readonly string[];
}

interface SetupWish extends SetupDefinition {
  readonly command: string;
  readonly worktree: string;
  /** The attempt's environment for the stage `setup`. */
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly logFile: string;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly cache: SetupCache;
}

type SetupRun =
  | { readonly kind: 'restored' | 'interrupted' }
  /** `kept`: the result is in the cache. */
  | { readonly kind: 'ran'; readonly durationMs: number; readonly kept: boolean };

const MAX_LAST_LINE = 200;

export class SetupFailedError extends ExplainedError {
  override readonly code = 'SETUP_FAILED';
  /** The end of its output, redacted. */
  readonly tail: string;

  constructor(how: string, { logFile }: SetupWish, tail: string) {
    const last = tail.trimEnd().split('\n').at(-1)?.slice(0, MAX_LAST_LINE) ?? '';
    super(`the setup command ${how}${last === '' ? '' : `: ${last}`}`, {
      hint: `read ${logFile}, then correct \`lanes.setup\``,
    });
    this.tail = tail;
  }
}

const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** @throws {SetupFailedError} if the command fails. */
export async function runSetup(wish: SetupWish): Promise<SetupRun> {
  const { worktree, env, cache } = wish;
  const git = gitIn(worktree, env, { timeoutMs: 120_000 });
  const key = await setupCacheKey(git, wish);
  if (key !== undefined && (await restoreSetup(cache, key, worktree, wish.now()))) {
    return { kind: 'restored' };
  }
  const before = key === undefined ? undefined : await readState(git);
  const outcome = await runShell({
    ...wish,
    cwd: worktree,
    outputFile: wish.logFile,
    maxOutputBytes: MAX_LOG_BYTES,
  });
  const { tail } = keepRedacted(wish.logFile);
  if (outcome.kind === 'killed' && outcome.aborted) return { kind: 'interrupted' };
  const failure = failureOf(outcome, wish.timeoutMs);
  if (failure !== undefined) throw new SetupFailedError(failure, wish, tail);
  const kept = before !== undefined && key !== undefined && (await keep(git, wish, key, before));
  return { kind: 'ran', durationMs: outcome.durationMs, kept };
}

function failureOf(outcome: ShellOutcome, timeoutMs: number): string | undefined {
  switch (outcome.kind) {
    case 'exited':
      return outcome.exitCode === 0 ? undefined : `ended with exit code ${outcome.exitCode}`;
    case 'timed-out':
      return `was not done after ${Math.round(timeoutMs / 1000)} s`;
    case 'killed':
      return `was ended: ${outcome.why}`;
    case 'not-started':
      return `could not start: ${outcome.why}`;
  }
}

async function readState(git: Git) {
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'];
  const [ignored, status] = await Promise.all([ignoredEntries(git), git.text(args)]);
  return { ignored: new Set(ignored), status };
}

type State = Awaited<ReturnType<typeof readState>>;

/**
 * Caches only a result that can replace the command: new ignored files, and no other change. Secrets
 * are not cached, nor files that contain the worktree's path.
 */
async function keep(git: Git, wish: SetupWish, key: string, before: State): Promise<boolean> {
  const { worktree, cache } = wish;
  const [after, sameKey] = await Promise.all([readState(git), setupCacheKey(git, wish)]);
  if (after.status !== before.status || sameKey !== key) return false;
  const made = [...after.ignored].filter((path) => !before.ignored.has(path));
  // A virtual environment of Python contains its own path in many files.
  const isBound = (path: string): boolean => existsSync(join(worktree, path, 'pyvenv.cfg'));
  if (made.length === 0 || made.some((path) => isDeniedPath(path) || isBound(path))) return false;
  if (await hasLinkInto(worktree, made)) return false;
  return keepSetup(cache, key, worktree, { paths: made, now: wish.now() });
}

/** Raised whenever the hashed bytes change shape. */
const FORMAT = 'setup/1';

/** The hash of a commit's setup: part of what a validation depends on. Empty if there is none. */
export async function setupHash(
  git: Git,
  { command, keyFiles }: SetupDefinition,
  commit: string,
): Promise<string> {
  if (command === undefined) return '';
  const { bases, matches } = matcher(keyFiles);
  const lines = (await treeAt(git, commit, bases))
    .filter(({ path }) => matches(path))
    .map(({ mode, oid, path }) => `${mode} ${oid} ${path}`);
  return hash([FORMAT, command, ...lines.sort()]);
}

/** `undefined` if no file matches: then states of the project cannot be told apart. */
async function setupCacheKey(
  git: Git,
  { command, keyFiles, worktree, env }: SetupWish,
): Promise<string | undefined> {
  const { matches } = matcher(keyFiles);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = [...new Set(splitNul(await git.text(args)))].filter(matches).sort();
  const files = paths.flatMap((path) => {
    const file = join(worktree, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? [path, hash([readFileSync(file)])] : [];
  });
  if (files.length === 0) return undefined;
  const machine = [process.platform, process.arch, await nodeVersion(worktree, env)];
  return hash([FORMAT, command, ...machine, ...files]);
}

/** The version that the command will find: compiled files fit no other. */
async function nodeVersion(cwd: string, env: Environment): Promise<string> {
  const outcome = await run('node', ['--version'], { cwd, env });
  return outcome.kind === 'exited' ? outcome.stdout.toString('utf8').trim() : 'none';
}

function hash(parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}
