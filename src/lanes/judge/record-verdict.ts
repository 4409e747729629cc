/** What is stored of a validation: the verdict, its runs, and the tests that ran. */
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import type { Git } from '../../base/git/git.ts';
import { treeOf } from '../../base/git/plumbing.ts';
import { enumerated } from '../../base/text/printable.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import {
  laneValidationStore,
  type Validation,
  type ValidationRunRecord,
} from '../../store/lane-validations.ts';
import type { LaneContext } from '../spec/context.ts';
import { flagText, MAIN_CHANGED, TESTS_REMOVED } from '../spec/flags.ts';
import type { CleanRunWish, CommitRun } from './clean-run.ts';
import type { Baseline, Judgement } from './judge.ts';
import { logStamp } from './log.ts';

export interface CommitToValidate
  extends CleanRunWish,
    Pick<Validation, 'sha'>,
    Partial<Pick<Validation, 'specHash'>> {
  /** The hash of the lane's setup; by default that of the commit's. */
  readonly setupHash?: string;
  readonly removesTests: 'no' | 'declared';
  /** The change of behaviour that the coordinator has declared. */
  readonly changesBehaviour?: string | undefined;
  /** Runs the base's tests as well, even without a lane. */
  readonly withBaseTests?: boolean;
  /** Called with what it waits for; `null`: nothing. */
  readonly tell?: (waitsFor: string | null) => void;
}

export interface Job extends CommitToValidate {
  readonly setupHash: string;
  readonly context: LaneContext;
  readonly git: Git;
}

export interface JudgedRuns {
  readonly runs: readonly CommitRun[];
  readonly judgement: Judgement;
}

/** The names are in a file: they may be thousands, and all validations of a run are read from the database. */
const testsFile = (log: string): string => `${log}.tests.json`;
const Tests = z.object({
  ran: z.optional(z.number()),
  executed: z.array(z.string()),
  skipped: z.array(z.string()),
});

export function baselineFrom({ result, newFailures, runs }: Validation): Baseline {
  const tests = testsOf(runs.at(-1));
  return { result, failures: newFailures ?? [], ...(tests && { tests }) };
}

/** The tests that ran, by name; `undefined` if no runner reported them, or the file is gone. */
export function testsOf(run: Pick<ValidationRunRecord, 'logPath'> | undefined) {
  const tests = readJsonFile(testsFile(run?.logPath ?? ''), Tests);
  if (typeof tests === 'string') return undefined;
  return { ...tests, ran: tests.ran ?? tests.executed.length };
}

export async function recordVerdict(
  { context, git, run, command, ...judged }: Job,
  id: string,
  { runs, judgement }: JudgedRuns,
  own = runs.length,
): Promise<Validation> {
  const { verdict, rejection, newFailures, oldFailures, flags, why } = judgement;
  for (const { tests, logPath } of runs) {
    if (tests === undefined) continue;
    const { ran, executed, skipped } = tests;
    writeJsonFile(testsFile(logPath), { ran, executed, skipped });
  }
  const records = runs.map(
    ({ result, exitCode, durationMs, logPath, logSha256, tests, failures }) => ({
      result,
      exitCode,
      durationMs,
      logPath,
      logSha256,
      ...(tests ? { executed: tests.ran, passed: tests.passed } : {}),
      ...(failures.length === 0 ? {} : { failures: failures.slice(0, MOST_FAILURES) }),
    }),
  );
  // A pass is told by what ran of the commit itself, and not by the tests of its base that came after that.
  const telling = verdict === 'pass' ? records.slice(0, own) : records;
  const deciding = telling.findLast(({ result }) => result === verdict) ?? telling.at(-1);
  if (deciding === undefined) throw new Error('a validation without a run');
  const { subject, laneId = null, attemptId = null, sha, setupHash, specHash = null } = judged;
  const { cmd, cwd, cmdHash } = command;
  const changedMain = runs.flatMap((it) => it.changedMain);
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
    flags: [
      ...flags,
      ...(rejection === 'tests_removed' ? [TESTS_REMOVED] : []),
      ...(changedMain.length === 0 ? [] : [flagText(MAIN_CHANGED, changedMain)]),
    ],
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
