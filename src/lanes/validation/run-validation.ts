/**
 * Runs the validation of a lane, and says what came of it in terms that cannot be mistaken: the
 * tests said no (`fail`), or nothing was said at all (`error`, `timeout`).
 */
import { statSync, truncateSync } from 'node:fs';
import { constants } from 'node:os';
import { keepRedacted } from '../../features/output.ts';
import { runShell, type ShellOutcome } from '../../process/run-shell.ts';
import { type Git, GitError } from '../../project/git.ts';
import { duration } from '../../text/time.ts';
import { failuresInLog } from './failures.ts';
import { changedSince, readTreeState, type TreeState } from './tree-state.ts';

export interface ValidationWish {
  readonly command: string;
  readonly cwd: string;
  /** All that the command sees. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Made anew, readable by its owner only; its folder has to be there. */
  readonly logFile: string;
  /** What is beyond it is cut off, and the result is an error. */
  readonly maxLogBytes?: number;
  readonly signal: AbortSignal;
  /** In that worktree, to see whether the command left the tree dirty. */
  readonly git: Git;
}

export type ValidationResult = 'pass' | 'fail' | 'error' | 'timeout';

export interface ValidationRun {
  readonly result: ValidationResult;
  readonly exitCode: number | null;
  /** Why there is no result of the tests: a clause; `null` for `pass` and `fail`. */
  readonly detail: string | null;
  readonly durationMs: number;
  readonly logPath: string;
  /** Of the log as it is stored: redacted. */
  readonly logSha256: string;
  /** Names of the failed tests, read from the stored log; anybody can read them again. */
  readonly failures: readonly string[];
  /** Failures that the log counts but does not name. */
  readonly unnamed: number;
  readonly tail: string;
  /** Paths that the command changed and git does not ignore. */
  readonly dirtied: readonly string[];
}

const MAX_LOG_BYTES = 64 * 1024 * 1024;

export async function runValidation(wish: ValidationWish): Promise<ValidationRun> {
  const { maxLogBytes = MAX_LOG_BYTES } = wish;
  const before = await stateOf(wish);
  const outcome: ShellOutcome =
    typeof before === 'string'
      ? await notStarted(wish, before)
      : await runShell({
          command: wish.command,
          cwd: wish.cwd,
          env: wish.env,
          timeoutMs: wish.timeoutMs,
          outputFile: wish.logFile,
          maxOutputBytes: maxLogBytes,
          signal: wish.signal,
        });
  const cut = cutLog(wish.logFile, maxLogBytes);
  const { digest, tail } = keepRedacted(wish.logFile);
  const roots = typeof before === 'string' ? [wish.cwd] : [wish.cwd, before.root];
  const { failures, unnamed } = (await failuresInLog(wish.logFile, roots)) ?? NOTHING_READ;
  const dirtied = typeof before === 'string' ? [] : await dirtiedSince(wish, before);
  const verdict = verdictOf(outcome, wish, { failures: failures.length + unnamed, cut });
  return {
    ...(typeof dirtied === 'string' ? worktreeGone(dirtied) : { ...verdict, dirtied }),
    exitCode: outcome.kind === 'exited' ? outcome.exitCode : null,
    durationMs: outcome.durationMs,
    logPath: wish.logFile,
    logSha256: digest,
    failures,
    unnamed,
    tail,
  };
}
