/**
 * What the tests of the base say of a lane's code. A lane may change tests as its task needs; whether the code still
 * does what they demanded is seen by running them as the base has them. Pure.
 */
import { enumerated } from '../../base/text/count.ts';
import { flagText } from '../spec/flags.ts';
import type { Baseline, JudgedRun } from './judge.ts';
import { minus } from './removed-tests.ts';
import type { TestsRun } from './run-validation.ts';

export interface BaseTests {
  readonly flags: readonly string[];
  /** What no longer holds, as a clause. */
  readonly why: string | undefined;
}

/**
 * @param runs with the tests of the base; a failure counts if each of them has it.
 * @param claim what the coordinator says that the lane is to change.
 */
export function judgeBaseTests(
  runs: readonly JudgedRun[],
  baseline: Baseline | undefined,
  claim: string | undefined,
): BaseTests {
  const last = runs.at(-1);
  const failures = last?.failures.filter((name) => runs.every((it) => it.failures.includes(name)));
  if (last === undefined || failures === undefined || last.result === 'pass') {
    return testsNotRun(baseline?.tests, last?.tests);
  }
  const executed = new Set(baseline?.tests?.executed);
  const failedBefore = new Set(baseline?.failures);
  const says = (name: string): string => last.tests?.why.get(name) ?? '';
  const isDemand = (name: string): boolean =>
    executed.has(name) &&
    !failedBefore.has(name) &&
    /\w/.test(says(name)) &&
    !OTHER_FAILURE.test(says(name));
  const broken = failures.filter(isDemand);
  const others = failures.filter((name) => !isDemand(name) && !failedBefore.has(name));
  const unclear = failures.length === 0 ? [last.detail ?? 'the command fails'] : others;
  const flags = unclear.length > 0 ? [flagText('base-tests-not-loaded', unclear)] : [];
  if (broken.length === 0) return { flags, why: undefined };
  const demands = broken.map((name) => `${name}: ${says(name)}`);
  if (claim !== undefined) {
    flags.push(flagText('behaviour-changed', [claim, ...broken]));
    return { flags, why: undefined };
  }
  flags.push(flagText('base-tests-failed', demands));
  const why = `what tests of the base demand no longer holds: ${enumerated(demands, MOST_NAMES)}`;
  return { flags, why };
}

const MOST_NAMES = 3;

/** A name that is gone, a module that cannot be loaded, a snapshot: the test has not got to what it demands. */
const OTHER_FAILURE =
  /\b(?:TypeError|ReferenceError|SyntaxError|ImportError|ModuleNotFoundError|AttributeError|NameError)\b|Cannot find module|fixture '.*' not found|\bsnapshots?\b/i;

type Ran = Pick<TestsRun, 'executed'>;

/**
 * Tests of the base that have not run although nothing of theirs was changed, as when the code ends the process.
 * Where as many others ran, their names only differ.
 */
export function testsNotRun(base: Ran | undefined, own: Ran | undefined) {
  if (base === undefined || own === undefined) return { flags: [], why: undefined };
  const gone = minus(base.executed, own.executed);
  if (gone.length <= minus(own.executed, base.executed).length)
    return { flags: [], why: undefined };
  const why = `tests of the base have not run: ${enumerated(gone, MOST_NAMES)}`;
  return { flags: [flagText('tests-not-run', gone)], why };
}
