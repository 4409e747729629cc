/** Sets up a worktree: runs the user's command, or restores its earlier result from the cache. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { keepRedacted } from '../../features/output.ts';
import { type Git, gitIn } from '../../git/git.ts';
import { ignoredEntries } from '../../git/paths.ts';
import { runShell, type ShellOutcome } from '../../process/run-shell.ts';
import { isDeniedPath } from './denied-paths.ts';
import { hasLinkInto, keepSetup, restoreSetup, type SetupCache } from './setup-cache.ts';
import { setupCacheKey } from './setup-key.ts';

export interface SetupWish {
  readonly command: string;
  /** Globs of the files that the result depends on; without any, the command always runs. */
  readonly keyFiles: readonly string[];
  readonly worktree: string;
  /** The attempt's environment for the stage `setup`. */
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly logFile: string;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly cache: SetupCache;
}

export type SetupRun =
  | { readonly kind: 'restored' }
  /** `kept`: the result is in the cache. */
  | { readonly kind: 'ran'; readonly durationMs: number; readonly kept: boolean }
  | { readonly kind: 'interrupted' };

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
  const key = await setupCacheKey(git, worktree, wish, env);
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

interface State {
  readonly ignored: ReadonlySet<string>;
  readonly status: string;
}

async function readState(git: Git): Promise<State> {
  const [ignored, status] = await Promise.all([ignoredEntries(git), statusText(git)]);
  return { ignored: new Set(ignored), status };
}

const statusText = (git: Git): Promise<string> =>
  git.text(['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames']);

/**
 * Caches only a result that can replace the command: new ignored files, and no other change. Secrets
 * are not cached, nor files that contain the worktree's path.
 */
async function keep(git: Git, wish: SetupWish, key: string, before: State): Promise<boolean> {
  const { worktree, env, cache } = wish;
  const [after, sameKey] = await Promise.all([
    readState(git),
    setupCacheKey(git, worktree, wish, env),
  ]);
  if (after.status !== before.status || sameKey !== key) return false;
  const made = [...after.ignored].filter((path) => !before.ignored.has(path));
  if (made.length === 0 || made.some((path) => isDeniedPath(path) || isBound(worktree, path))) {
    return false;
  }
  if (await hasLinkInto(worktree, made)) return false;
  return keepSetup(cache, key, worktree, { paths: made, now: wish.now() });
}

/** A virtual environment of Python contains its own path in many files. */
function isBound(worktree: string, path: string): boolean {
  return existsSync(join(worktree, path, 'pyvenv.cfg'));
}
