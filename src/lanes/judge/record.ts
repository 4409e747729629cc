/** Stores what validations came to. */
import { hostname } from 'node:os';
import type { Git } from '../../base/git/git.ts';
import { treeOf } from '../../base/git/plumbing.ts';
import { enumerated } from '../../base/text/count.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { TESTS_REMOVED } from '../spec/flags.ts';
import type { CommitRun, ValidationCommand } from './clean-run.ts';
import type { Judgement } from './judge.ts';
import { logStamp } from './log.ts';

export interface Judged
  extends Pick<Validation, 'subject' | 'sha' | 'setupHash'>,
    Partial<Pick<Validation, 'laneId' | 'attemptId' | 'specHash'>> {
  readonly run: Run;
  readonly command: ValidationCommand;
  readonly context: LaneContext;
  readonly git: Git;
}

export interface JudgedRuns {
  readonly runs: readonly CommitRun[];
  readonly judgement: Judgement;
}

export async function recordVerdict(
  { context, git, run, command, ...judged }: Judged,
  id: string,
  { runs, judgement }: JudgedRuns,
): Promise<Validation> {
  const { verdict, rejection, newFailures, oldFailures, flags, why } = judgement;
  const records = runs.map(
    ({ result, exitCode, durationMs, logPath, logSha256, tests, failures }) => ({
      result,
      exitCode,
      durationMs,
      logPath,
      logSha256,
      ...(tests ? { executed: tests.executed.length, passed: tests.passed } : {}),
      ...(failures.length === 0 ? {} : { failures: failures.slice(0, MOST_FAILURES) }),
    }),
  );
  const deciding = records.findLast(({ result }) => result === verdict) ?? records.at(-1);
  if (deciding === undefined) throw new Error('a validation without a run');
  const { subject, laneId = null, attemptId = null, sha, setupHash, specHash = null } = judged;
  const { cmd, cwd, cmdHash } = command;
  const validation: Validation = {
    ...deciding,
    id,
    runId: run.id,
    subject,
    laneId,
    attemptId,
    sha,
    tree: await treeOf(git, sha),
    cmd,
    cwd,
    cmdHash,
    setupHash,
    specHash,
    ...logStamp(deciding.logPath),
    result: verdict,
    runs: records,
    newFailures,
    oldFailures,
    flags: rejection === 'tests_removed' ? [...flags, TESTS_REMOVED] : flags,
    why: withAbsent(why, runs),
    host: hostname(),
    at: context.now(),
  };
  const data = { id, subject, sha, result: verdict };
  const event = { runId: run.id, laneId, attemptId, type: 'validation', data, by: 'lanehold' };
  context.store.write(() => {
    laneValidationStore(context.store).add(validation);
    laneEventStore(context.store).add(event, context.now());
  });
  return validation;
}

const MOST_FAILURES = 500;

function withAbsent(why: string, runs: readonly CommitRun[]): string {
  const paths = [...new Set(runs.flatMap(({ absent }) => absent))];
  if (paths.length === 0) return why;
  const names = enumerated(
    paths.map((path) => `\`${path}\``),
    paths.length,
  );
  return `${why}; in no commit: ${names} (what the tests need of it belongs in .worktreeinclude, or in the setup)`;
}
