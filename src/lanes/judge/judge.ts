/**
 * What validation runs prove about one commit. Pure: the same runs give the same verdict.
 *
 * The first match wins: different results of one commit are `flaky`, which never passes; `error` and
 * `timeout` are passed on; a test runner that has run no test, and one of which no test passed, prove
 * nothing; removed tests instead of repaired ones fail; failures count if the baseline does not have them.
 */

import { enumerated, plural } from '../../base/text/printable.ts';
import type { Validation, ValidationRunRecord } from '../../store/lane-validations.ts';
import { removedInsteadOfRepaired } from './removed-tests.ts';
import type { TestsRun, ValidationRun } from './run-validation.ts';

export type JudgedRun = Pick<
  ValidationRun,
  'result' | 'detail' | 'failures' | 'tests' | 'dirtied' | 'logPath'
>;

/** The result of the same command on the commit that the work started from. */
export interface Baseline {
  readonly result: Validation['result'];
  readonly failures: readonly string[];
  readonly tests?: Pick<TestsRun, 'ran' | 'executed' | 'skipped'>;
}

export interface Case {
  /** Runs of the same commit: one, or two after a rerun. */
  readonly runs: readonly JudgedRun[];
  /** `undefined` if it was not run: every failure then counts as new. */
  readonly baseline: Baseline | undefined;
  /** Removed tests as `lostTests` names them. */
  readonly testsRemoved: readonly string[];
  readonly removal?: 'no' | 'declared';
  /** Tests that pass and fail on the base as well: they do not count if they pass in a rerun. */
  readonly flakyOnBase?: readonly string[];
}

export interface Judgement
  extends Readonly<Record<'newFailures' | 'oldFailures' | 'flags', readonly string[]>> {
  readonly verdict: Validation['result'];
  /** Why the lane is rejected; `null` if it is not, or nothing is known. */
  readonly rejection: 'validation' | 'tests_removed' | null;
  /** The reason, in one or two clauses, for people and for the next attempt. */
  readonly why: string;
}

export function judge(it: Case): Judgement {
  const [first] = it.runs;
  const facts = factsOf(it);
  const verdictOf = (verdict: Judgement['verdict'], why: string): Judgement => ({
    ...facts,
    verdict,
    why,
    rejection: verdict === 'fail' || verdict === 'flaky' ? 'validation' : null,
  });
  if (first === undefined) return verdictOf('error', 'it was not run');
  if (it.runs.some(({ result }) => result !== first.result)) return flaky(it, verdictOf);
  const unproved = whyUnproved(it, facts);
  if (unproved !== undefined) return verdictOf('error', `nothing was proved: ${unproved}`);
  if (first.result === 'error' || first.result === 'timeout') {
    return verdictOf(first.result, first.detail ?? first.result);
  }
  const failing = first.result === 'fail' ? whyFailing(it, facts) : [];
  const removed = unacceptableRemovals(it);
  const removal = `tests were removed: ${enumerated(removed, MOST_NAMES)}`;
  if (failing.length > 0) {
    return verdictOf('fail', [...failing, ...(removed.length > 0 ? [removal] : [])].join('; '));
  }
  if (removed.length > 0) return { ...verdictOf('fail', removal), rejection: 'tests_removed' };
  if (first.result === 'pass') return verdictOf('pass', passed(it));
  const why = `${plural(facts.oldFailures.length, 'test')} failed, as on the base; nothing new fails`;
  return { ...verdictOf('pass', why), flags: [...facts.flags, 'base-was-failing'] };
}

/** Whether to run the command once more: after a failure that the baseline does not explain. */
export function needsRerun(run: JudgedRun, baseline: Baseline | undefined): boolean {
  return (
    run.result === 'fail' && judge({ runs: [run], baseline, testsRemoved: [] }).verdict === 'fail'
  );
}

/** Whether the verdict depends on the baseline: failures may be old, removed tests may have failed. */
export const needsBaseline = ({ result }: JudgedRun, testsRemoved: readonly string[]): boolean =>
  testsRemoved.length > 0 || result === 'fail';

type Facts = Pick<Judgement, 'newFailures' | 'oldFailures' | 'flags'>;

const MOST_NAMES = 5;

function factsOf(it: Case): Facts {
  const excusable = new Set(isFailing(it.baseline) ? it.baseline.failures : []);
  const runs = it.runs.filter(({ result }) => result !== 'pass');
  const failed = unique(runs.flatMap(({ failures }) => failures));
  return {
    newFailures: failed.filter((name) => !excusable.has(name)),
    oldFailures: failed.filter((name) => excusable.has(name)),
    flags: flagsOf(it),
  };
}

function isFailing(baseline: Baseline | undefined): baseline is Baseline {
  return baseline?.result === 'fail' || baseline?.result === 'flaky';
}

/** Why the tests prove nothing. A command that is no test runner proves by its exit code. */
function whyUnproved({ runs, baseline }: Case, { newFailures }: Facts): string | undefined {
  const [first] = runs;
  if (first?.tests === undefined || first.tests.passed > 0) return undefined;
  const { result, failures, tests } = first;
  const who = tests.runners.join(', ');
  if (result === 'pass' && tests.ran === 0) {
    return `${who} ended with exit code 0 and has executed no test`;
  }
  if (result !== 'fail' || newFailures.length > 0) return undefined;
  if (failures.length > 0) {
    return `no test of ${who} passed, and none failed that does not fail on the base`;
  }
  // Another command may have failed before it.
  if (!tests.began && baseline?.result === 'pass') return undefined;
  return `${who} ended before the first test`;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

function flaky(
  { runs, flakyOnBase = [], ...it }: Case,
  verdictOf: (verdict: 'pass' | 'flaky', why: string) => Judgement,
): Judgement {
  const { newFailures } = factsOf({ runs, ...it });
  if (newFailures.length > 0 && newFailures.every((name) => flakyOnBase.includes(name))) {
    const names = enumerated(newFailures, MOST_NAMES);
    const why = `passes when run again; flaky on the base, too: ${names}`;
    return { ...verdictOf('pass', why), newFailures: [] };
  }
  const ends = runs.map(({ result, logPath }) => `${result} (${logPath})`).join(', then ');
  return verdictOf('flaky', `different results of the same commit: ${ends}`);
}

function passed({ runs }: Case): string {
  const listed = unique(runs.flatMap(({ failures }) => failures));
  if (listed.length === 0) return 'exit code 0';
  return `exit code 0, although these are reported as failed: ${enumerated(listed, MOST_NAMES)}`;
}

function whyFailing({ runs, baseline }: Case, { newFailures, oldFailures }: Facts): string[] {
  const why: string[] = [];
  const names = enumerated(newFailures, MOST_NAMES);
  const old = oldFailures.length === 0 ? '' : ` (${oldFailures.length} failed on the base, too)`;
  const count = newFailures.length;
  if (count > 0 && baseline === undefined) why.push(`${plural(count, 'failed test')}: ${names}`);
  else if (count > 0) why.push(`${plural(count, 'new failure')}: ${names}${old}`);
  // Failures without names count as new.
  if (runs.some(({ failures }) => failures.length === 0)) {
    why.push(
      baseline?.result === 'pass'
        ? 'the command fails here and passes on the base'
        : 'the command fails, and no report says which tests do',
    );
  } else if (isFailing(baseline) && baseline.failures.length === 0) {
    why.push('the base fails as well, but no report says which of its tests do');
  }
  return why;
}

function unacceptableRemovals({ runs, baseline, testsRemoved, removal }: Case): string[] {
  if (removal === 'declared') return [];
  const failing = isFailing(baseline);
  const known = baseline?.result === 'pass' || (failing && baseline.failures.length > 0);
  const still = new Set(runs.flatMap(({ failures }) => failures));
  const gone = failing ? baseline.failures.filter((name) => !still.has(name)) : [];
  return removedInsteadOfRepaired(testsRemoved, known ? gone : undefined);
}

function flagsOf({ runs, testsRemoved }: Case): string[] {
  const flags: string[] = [];
  const passes = runs.filter(({ result }) => result === 'pass');
  if (passes.some((run) => run.failures.length > 0)) flags.push('failed-tests-listed');
  if (testsRemoved.length > 0) flags.push('tests_removed');
  if (runs.some(({ dirtied }) => dirtied.length > 0)) flags.push('dirtied');
  return flags;
}

/**
 * Tests that pass and fail on the same commit, with how often.
 *
 * @param runs of the same commit, command and setup. A killed run does not count.
 */
export function flakyTests(runs: readonly Pick<ValidationRunRecord, 'result' | 'failures'>[]) {
  const conclusive = runs.filter(({ result }) => result === 'pass' || result === 'fail');
  const failures = conclusive.map((it) => (it.result === 'pass' ? [] : (it.failures ?? [])));
  // A failure without names may be that of any test.
  if (conclusive.some(({ result }, at) => result === 'fail' && failures[at]?.length === 0))
    return [];
  return [...new Set(failures.flat())].sort().flatMap((name) => {
    const failed = failures.filter((names) => names.includes(name)).length;
    return failed < conclusive.length ? [{ name, failed, runs: conclusive.length }] : [];
  });
}

export const flakyWords = ({ name, failed, runs }: ReturnType<typeof flakyTests>[number]) =>
  `${name}: failed in ${failed} of ${runs} runs`;
