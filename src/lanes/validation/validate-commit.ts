/** Runs one validation on one commit and keeps the verdict. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from '../../private-folder.ts';
import { runShell, type ShellOutcome } from '../../process/run-shell.ts';
import { newId } from '../../store/ids.ts';
import {
  laneValidationStore,
  type Validation,
  type ValidationResult,
  type ValidationSubject,
} from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneWorld } from '../world.ts';

export interface CommitToValidate {
  readonly run: Run;
  readonly subject: ValidationSubject;
  readonly laneId: string | null;
  readonly attemptId: string | null;
  readonly sha: string;
  readonly tree: string;
  /** Checked out at exactly `sha`. */
  readonly worktree: string;
  readonly command: {
    readonly cmd: string;
    readonly cwd: string;
    readonly timeoutS: number;
    readonly cmdHash: string;
  };
  readonly setupHash: string;
  readonly specHash: string | null;
  readonly base: { readonly sha: string } | undefined;
  readonly removesTests: 'no' | 'declared';
  readonly env: Record<string, string>;
  /** For logs. */
  readonly dir: string;
  readonly priority: number;
  readonly owner: string;
  readonly signal: AbortSignal;
}

const MAX_LOG_BYTES = 64 * 1024 * 1024;

export async function validateCommit(
  world: LaneWorld,
  wish: CommitToValidate,
): Promise<Validation> {
  const { store, now } = world;
  const { command } = wish;
  const id = newId(now());
  makePrivateFolder(wish.dir);
  const logPath = join(wish.dir, `validate-${id}.log`);
  const outcome = await runShell({
    command: command.cmd,
    cwd: join(wish.worktree, command.cwd),
    env: wish.env,
    timeoutMs: command.timeoutS * 1000,
    outputFile: logPath,
    maxOutputBytes: MAX_LOG_BYTES,
    signal: wish.signal,
  });
  const { result, exitCode } = resultOf(outcome);
  const { durationMs } = outcome;
  const logSha256 = createHash('sha256').update(readFileSync(logPath)).digest('hex');
  const validation: Validation = {
    id,
    runId: wish.run.id,
    subject: wish.subject,
    laneId: wish.laneId,
    attemptId: wish.attemptId,
    sha: wish.sha,
    tree: wish.tree,
    cmd: command.cmd,
    cwd: command.cwd,
    cmdHash: command.cmdHash,
    setupHash: wish.setupHash,
    specHash: wish.specHash,
    envHash: '',
    result,
    exitCode,
    durationMs,
    logPath,
    logSha256,
    runs: [{ result, exitCode, durationMs, logPath, logSha256 }],
    newFailures: null,
    oldFailures: null,
    flags: [],
    why: '',
    host: hostname(),
    at: now(),
  };
  store.write(() => laneValidationStore(store).add(validation));
  return validation;
}

function resultOf(outcome: ShellOutcome): {
  result: Exclude<ValidationResult, 'flaky'>;
  exitCode: number | null;
} {
  switch (outcome.kind) {
    case 'exited':
      return { result: outcome.exitCode === 0 ? 'pass' : 'fail', exitCode: outcome.exitCode };
    case 'timed-out':
      return { result: 'timeout', exitCode: null };
    case 'killed':
    case 'not-started':
      return { result: 'error', exitCode: null };
  }
}
