/**
 * What validation runs prove about one commit. Pure: the same runs give the same verdict.
 *
 * The first match wins: different results of one commit are `flaky`, which never passes; `error` and
 * `timeout` are passed on; a test runner that has run no test, and one of which no test passed, prove
 * nothing; removed tests instead of repaired ones fail; failures count if the baseline does not have them.
 */
import type { Validation, ValidationRunRecord } from '../../store/lane-validations.ts';
import { enumerated, plural } from '../../text/count.ts';
import { removedInsteadOfRepaired } from './removed-tests.ts';
import type { TestsRun, ValidationRun } from './run-validation.ts';

export type JudgedRun = Pick<
  ValidationRun,
  'result' | 'detail' | 'failures' | 'dirtied' | 'logPath'
> &
  Partial<Pick<ValidationRun, 'tests'>>;

/** The result of the same command on the commit that the work started from. */
export interface Baseline {
  readonly result: Validation['result'];
  readonly failures: readonly string[];
  /** What it reported to have run. */
  readonly tests?: Pick<TestsRun, 'executed' | 'skipped'>;
}

export interface Case {
  /** Of the same commit: one, or two after a rerun. */
  readonly runs: readonly JudgedRun[];
  /** `undefined` if it was not run: then every failure counts as new. */
  readonly baseline: Baseline | undefined;
  /** As `removedTests` names them. */
  readonly testsRemoved: readonly string[];
  /** Whether the lane was told to remove tests. */
  readonly removal?: 'no' | 'declared';
  /** Tests that pass and fail on the base as well: if they pass when run again, they do not count. */
  readonly flakyOnBase?: readonly string[];
}

export type Flag =
  | 'base-was-failing'
  | 'failed-tests-listed'
  | 'tests_removed'
  | 'dirtied'
  | 'unsteady-failures';

export interface Judgement {
  readonly verdict: Validation['result'];
  readonly newFailures: readonly string[];
  /** Failures that the baseline had as well. */
  readonly oldFailures: readonly string[];
  readonly flags: readonly Flag[];
  /** What the lane is rejected for; `null` if it is not, or nothing is known. */
  readonly rejection: 'validation' | 'tests_removed' | null;
  /** Why, in one or two clauses, for people and for the next attempt. */
  readonly why: string;
}

export function judge(it: Case): Judgement {
  const [first] = it.runs;
  if (first === undefined) return { ...NOTHING, verdict: 'error', why: 'it was not run' };
  const excusable = new Set(isFailing(it.baseline) ? it.baseline.failures : []);
  const failed = unique(
    it.runs.filter(({ result }) => result !== 'pass').flatMap(({ failures }) => failures),
  );
  const removed = unacceptableRemovals(it);
  const facts: Facts = {
    newFailures: failed.filter((name) => !excusable.has(name)),
    oldFailures: failed.filter((name) => excusable.has(name)),
    flags: flagsOf(it),
  };
  if (it.runs.some(({ result }) => result !== first.result)) return flaky(it, facts);
  const unproved = whyUnproved(it, facts);
  if (unproved !== undefined) {
    return { ...facts, verdict: 'error', rejection: null, why: `nothing was proved: ${unproved}` };
  }
  switch (first.result) {
    case 'error':
    case 'timeout': {
      const { result: verdict, detail } = first;
      return { ...facts, verdict, rejection: null, why: detail ?? verdict };
    }
    case 'pass':
      return removed.length > 0 ? rejectedRemoval(facts, removed) : passed(it, facts);
    case 'fail':
      return failing(it, facts, removed);
  }
}

/** Whether to run the command once more: after a failure that the baseline does not explain. */
export function needsRerun(run: JudgedRun, baseline: Baseline | undefined): boolean {
  return (
    run.result === 'fail' && judge({ runs: [run], baseline, testsRemoved: [] }).verdict === 'fail'
  );
}

/** Whether the verdict depends on the baseline: failures may be old, removed tests may have failed. */
export function needsBaseline(
  runs: readonly JudgedRun[],
  testsRemoved: readonly string[],
): boolean {
  return testsRemoved.length > 0 || runs.some(({ result }) => result === 'fail');
}

type Facts = Pick<Judgement, 'newFailures' | 'oldFailures' | 'flags'>;

const NOTHING = { newFailures: [], oldFailures: [], flags: [], rejection: null } as const;
const MOST_NAMES = 5;

function isFailing(baseline: Baseline | undefined): baseline is Baseline {
  return baseline?.result === 'fail' || baseline?.result === 'flaky';
}

/** Why the tests say nothing, either way. A command that is no test runner proves by its exit code. */
function whyUnproved({ runs, baseline }: Case, { newFailures }: Facts): string | undefined {
  const [first] = runs;
  const tests = first?.tests;
  if (first === undefined || tests === undefined || tests.passed > 0) return undefined;
  const who = tests.runners.join(', ');
  if (first.result === 'pass') {
    return tests.executed.length === 0
      ? `${who} ended with exit code 0 and has executed no test`
      : undefined;
  }
  if (first.result !== 'fail' || newFailures.length > 0) return undefined;
  if (first.failures.length > 0)
    return `no test of ${who} passed, and none failed that does not fail on the base`;
  // Another command may have failed before it.
  if (!tests.began && baseline?.result === 'pass') return undefined;
  return `${who} ended before the first test`;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

function flaky(it: Case, facts: Facts): Judgement {
  const { runs, flakyOnBase = [] } = it;
  const { newFailures } = facts;
  if (newFailures.length > 0 && newFailures.every((name) => flakyOnBase.includes(name))) {
    const names = enumerated(newFailures, MOST_NAMES);
    const why = `passes when run again; flaky on the base, too: ${names}`;
    return { ...facts, newFailures: [], verdict: 'pass', rejection: null, why };
  }
  const ends = runs.map(({ result, logPath }) => `${result} (${logPath})`).join(', then ');
  const why = `different results of the same commit: ${ends}`;
  return { ...facts, verdict: 'flaky', rejection: 'validation', why };
}

function passed({ runs }: Case, facts: Facts): Judgement {
  const listed = unique(runs.flatMap(({ failures }) => failures));
  const why =
    listed.length === 0
      ? 'exit code 0'
      : `exit code 0, although these are reported as failed: ${enumerated(listed, MOST_NAMES)}`;
  return { ...facts, verdict: 'pass', rejection: null, why };
}

function rejectedRemoval(facts: Facts, removed: readonly string[]): Judgement {
  const why = `tests were removed: ${enumerated(removed, MOST_NAMES)}`;
  return { ...facts, verdict: 'fail', rejection: 'tests_removed', why };
}

function failing(it: Case, facts: Facts, removed: readonly string[]): Judgement {
  const { newFailures, oldFailures, flags } = facts;
  const unreadable = whyUnreadable(it);
  if (newFailures.length === 0 && unreadable === undefined) {
    if (removed.length > 0) return rejectedRemoval(facts, removed);
    const why = `${plural(oldFailures.length, 'test')} failed, as on the base; nothing new fails`;
    const all: Flag[] = [...flags, 'base-was-failing'];
    return { ...facts, verdict: 'pass', rejection: null, flags: all, why };
  }
  const reasons = [
    newFailures.length === 0 ? undefined : newlyFailing(it, facts),
    unreadable,
    removed.length === 0 ? undefined : rejectedRemoval(facts, removed).why,
  ];
  const why = reasons.filter((reason) => reason !== undefined).join('; ');
  return { ...facts, verdict: 'fail', rejection: 'validation', why };
}

function newlyFailing({ baseline }: Case, { newFailures, oldFailures }: Facts): string {
  const names = enumerated(newFailures, MOST_NAMES);
  if (baseline === undefined) return `${plural(newFailures.length, 'failed test')}: ${names}`;
  const rest = oldFailures.length === 0 ? '' : ` (${oldFailures.length} failed on the base, too)`;
  return `${plural(newFailures.length, 'new failure')}: ${names}${rest}`;
}

/** Why a failed run counts as failed even if no new failure has a name. */
function whyUnreadable({ runs, baseline }: Case): string | undefined {
  if (runs.some(({ failures }) => failures.length === 0)) {
    if (baseline?.result === 'pass') return 'the command fails here and passes on the base';
    return 'the command fails, and no report says which tests do';
  }
  if (isFailing(baseline) && baseline.failures.length === 0) {
    return 'the base fails as well, but no report says which of its tests do';
  }
  return undefined;
}

function unacceptableRemovals({ runs, baseline, testsRemoved, removal }: Case): string[] {
  if (removal === 'declared') return [];
  const failing = isFailing(baseline);
  const known = baseline?.result === 'pass' || (failing && baseline.failures.length > 0);
  const still = new Set(runs.flatMap(({ failures }) => failures));
  const gone = failing ? baseline.failures.filter((name) => !still.has(name)) : [];
  return removedInsteadOfRepaired(testsRemoved, known ? gone : undefined);
}

function flagsOf({ runs, testsRemoved }: Case): Flag[] {
  const flags: Flag[] = [];
  const passes = runs.filter(({ result }) => result === 'pass');
  if (passes.some((run) => run.failures.length > 0)) flags.push('failed-tests-listed');
  if (testsRemoved.length > 0) flags.push('tests_removed');
  if (runs.some(({ dirtied }) => dirtied.length > 0)) flags.push('dirtied');
  const sets = runs
    .filter(({ result }) => result === 'fail')
    .map(({ failures }) => JSON.stringify(unique(failures)));
  if (new Set(sets).size > 1) flags.push('unsteady-failures');
  return flags;
}

export interface FlakyTest {
  readonly name: string;
  readonly failed: number;
  readonly runs: number;
}

/**
 * Tests that pass and fail on the same commit, with how often.
 *
 * @param runs of the same commit, command and setup. A run that was killed says nothing.
 */
export function flakyTests(
  runs: readonly Pick<ValidationRunRecord, 'result' | 'failures'>[],
): FlakyTest[] {
  const told = runs.filter(({ result }) => result === 'pass' || result === 'fail');
  const failures = told.map((it) => (it.result === 'pass' ? [] : (it.failures ?? [])));
  // A failure without names may be any test's.
  if (told.some(({ result }, at) => result === 'fail' && failures[at]?.length === 0)) return [];
  return [...new Set(failures.flat())].sort().flatMap((name) => {
    const failed = failures.filter((names) => names.includes(name)).length;
    return failed < told.length ? [{ name, failed, runs: told.length }] : [];
  });
}

export const flakyWords = ({ name, failed, runs }: FlakyTest): string =>
  `${name}: failed in ${failed} of ${runs} runs`;
