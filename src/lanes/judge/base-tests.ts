/**
 * What the base's tests show about a lane's code. A lane may change tests for its task; running the base's version
 * shows whether the code still fulfils them. Pure.
 */
import { enumerated } from '../../base/text/printable.ts';
import { BASE_TESTS_FAILED, flagText } from '../spec/flags.ts';
import type { Baseline, JudgedRun } from './judge.ts';
import { fileOf, isOf, minus } from './removed-tests.ts';
import type { TestsRun } from './run-validation.ts';

/**
 * @param runs the runs with the base's tests; a failure counts if each has it.
 * @param lane `claim`: the change of behaviour that the coordinator has declared; `own`: the tests that ran with the
 *   lane's version; `changed`: paths besides the tests that it has changed or added.
 * @returns `why`: the broken behaviour, as a clause.
 */
export function judgeBaseTests(
  runs: readonly JudgedRun[],
  baseline: Baseline | undefined,
  lane: { claim?: string | undefined; own?: Ran | undefined; changed?: readonly string[] },
) {
  const last = runs.at(-1);
  const failures = last?.failures.filter((name) => runs.every((it) => it.failures.includes(name)));
  if (last === undefined || failures === undefined || last.result === 'pass') {
    return testsNotRun(baseline?.tests, last?.tests);
  }
  const { flags, why } = brokenDemands(last, failures, baseline, lane.claim);
  // Tests that could not be loaded have not run. Files that the lane has not changed run with its own tests.
  const { changed = [], own } = lane;
  const missing = testsNotRun(untouched(baseline?.tests, changed), untouched(own, changed));
  return { flags: [...flags, ...missing.flags], why: why ?? missing.why };
}

function brokenDemands(
  last: JudgedRun,
  failures: readonly string[],
  baseline: Baseline | undefined,
  claim: string | undefined,
) {
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
  flags.push(flagText(BASE_TESTS_FAILED, demands));
  const why = `what tests of the base demand no longer holds: ${enumerated(demands, MOST_NAMES)}`;
  return { flags, why };
}

const MOST_NAMES = 3;

/** Matches a missing name, a module that cannot be loaded, or a snapshot: the test has not reached its assertion. */
const OTHER_FAILURE =
  /\b(?:TypeError|ReferenceError|SyntaxError|ImportError|ModuleNotFoundError|AttributeError|NameError)\b|Cannot find module|fixture '.*' not found|\bsnapshots?\b/i;

type Ran = Pick<TestsRun, 'ran' | 'executed'>;

/** The tests of files by their names; those of Rust and Go have the name of a program or a package. */
function untouched(ran: Ran | undefined, changed: readonly string[]): Ran | undefined {
  const executed = ran?.executed.filter((name) => {
    const file = fileOf(name);
    return /\.(?!rs$)\w+$/.test(file) && !changed.some((path) => isOf(path, file));
  });
  return executed && executed.length > 0 ? { ran: executed.length, executed } : undefined;
}

/**
 * Unchanged tests of the base that did not run, as when the code ends the process. If as many others of their file ran,
 * only their names differ: the lane's additions to the file are missing.
 */
export function testsNotRun(base: Ran | undefined, own: Ran | undefined) {
  const nothing = { flags: [], why: undefined };
  if (base === undefined || own === undefined) return nothing;
  if (base.executed.length === 0 || own.executed.length === 0) {
    if (own.ran >= base.ran) return nothing;
    const counts = `${own.ran} of the ${base.ran} tests of the base`;
    return { flags: [flagText('tests-not-run', [counts])], why: `no more than ${counts} have run` };
  }
  const left = Map.groupBy(minus(own.executed, base.executed), fileOf);
  const gone = [...Map.groupBy(minus(base.executed, own.executed), fileOf)].flatMap(
    ([file, names]) => (names.length > (left.get(file)?.length ?? 0) ? names : []),
  );
  if (gone.length === 0) return nothing;
  const why = `tests of the base have not run: ${enumerated(gone, MOST_NAMES)}`;
  return { flags: [flagText('tests-not-run', gone)], why };
}
