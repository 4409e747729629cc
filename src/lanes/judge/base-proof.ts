/**
 * Runs of a lane with the proof of its base: its settings, its tests, and small changes of the lane's lines. A lane may
 * change tests for its task; running the base's version shows whether the code still fulfils them.
 */
import { enumerated, plural } from '../../base/text/printable.ts';
import { BASE_TESTS_FAILED, flagText } from '../spec/flags.ts';
import { baselineOf } from './base-run.ts';
import { type CommitRun, cleanRun } from './clean-run.ts';
import { type Baseline, type JudgedRun, judge, needsBaseline } from './judge.ts';
import { noticedChanges } from './mutants.ts';
import type { changedProof } from './proof.ts';
import type { Job, JudgedRuns } from './record-verdict.ts';
import { fileOf, isOf, minus } from './removed-tests.ts';
import type { TestsRun } from './run-validation.ts';
import { isNamedAsTest } from './test-cases.ts';

/** A lane that has changed its own proof also has to pass with the base's. */
export async function withBaseProof(
  job: Job,
  found: JudgedRuns,
  proof: Proof,
  logOf: (what: string) => string,
): Promise<JudgedRuns> {
  const proved = await withBaseSettings(job, found, proof, logOf('proof'));
  if (proved.judgement.verdict !== 'pass') return proved;
  const { runs, judgement } = await withBaseTests(job, proved, proof, logOf);
  const least = job.settings.proof.mutants;
  if (judgement.verdict !== 'pass' || least === undefined) return { runs, judgement };
  const noticed = await noticedChanges(job.context, job, logOf('changes'), least);
  return { runs, judgement: { ...judgement, flags: [...judgement.flags, ...noticed] } };
}

type Proof = Awaited<ReturnType<typeof changedProof>>;

/** Runs the base's tests on the lane's code, whatever the lane has changed in them. */
async function withBaseTests(
  job: Job,
  found: JudgedRuns,
  { ran, tests, fresh, spliced, unread }: Proof,
  logOf: (what: string) => string,
): Promise<JudgedRuns> {
  const { judgement } = found;
  // Where old failures of the base are all that fails, no run has passed.
  const own = found.runs.findLast(({ result }) => result === 'pass') ?? found.runs.at(-1);
  const baseline = await baselineOf(job);
  const before = baseline?.tests?.ran ?? 0;
  if (before > 0 && own !== undefined && own.tests === undefined) {
    const why = `nothing was proved: ${plural(before, 'test')} ran on the base, and none is known to have run here`;
    return { ...found, judgement: { ...judgement, verdict: 'error', why } };
  }
  const again: CommitRun[] = [];
  // New files can affect old tests, unless the runner has a process for each file.
  const mayReach = before > 0 ? fresh.filter((path) => !isRunApart(path, own?.tests)) : [];
  const old = { from: job.base, paths: [...new Set([...ran, ...tests, ...fresh])] };
  const hasTests = tests.length + mayReach.length + spliced.length > 0;
  for (const n of hasTests ? [1, 2] : []) {
    if (again[0]?.result === 'pass') break;
    const log = logOf(`base-tests-${n}`);
    again.push(await cleanRun(job.context, job, { sha: job.sha, log, old, spliced }));
  }
  const changed = [...tests, ...fresh];
  const lane = { claim: job.changesBehaviour, own: own?.tests, changed };
  const { flags, why = judgement.why } = hasTests
    ? judgeBaseTests(again, baseline, lane)
    : testsNotRun(baseline?.tests, own?.tests);
  const said = unread.length > 0 ? [flagText('inline-tests-not-compared', unread)] : [];
  return {
    runs: [...found.runs, ...again],
    judgement: { ...judgement, why, flags: [...judgement.flags, ...flags, ...said] },
  };
}

/** Runners of JavaScript isolate files, and Cargo makes a program of each. */
function isRunApart(path: string, ran: TestsRun | undefined): boolean {
  const isApart = ran?.runners.every((it) => /^(?:node|vitest|jest)$/.test(it)) === true;
  return path.endsWith('.rs') || (isApart && isNamedAsTest(path) && /\.[cm]?[jt]sx?$/.test(path));
}

async function withBaseSettings(
  job: Job,
  found: JudgedRuns,
  { changed, ran: paths }: Proof,
  log: string,
): Promise<JudgedRuns> {
  const told = changed.length === 0 ? [] : [flagText('proof-changed', changed)];
  const judgement = { ...found.judgement, flags: [...found.judgement.flags, ...told] };
  if (paths.length === 0) return { ...found, judgement };
  const old = { from: job.base, paths };
  const again = await cleanRun(job.context, job, { sha: job.sha, log, old });
  const runs = [...found.runs, again];
  const baseline = needsBaseline(again, []) ? await baselineOf(job) : undefined;
  const asked = { runs: [again], baseline, testsRemoved: [] };
  const { verdict, rejection, newFailures, ...judged } = judge(asked);
  if (verdict === 'pass') return { runs, judgement };
  const why = `with ${enumerated(paths, MOST_NAMES)} of the base: ${judged.why}`;
  if (job.removesTests !== 'declared') {
    return { runs, judgement: { ...judgement, verdict, rejection, newFailures, why } };
  }
  const flags = [...judgement.flags, flagText('base-proof-failed', paths)];
  return { runs, judgement: { ...judgement, flags, why: `${judgement.why}; ${why}` } };
}

const MOST_NAMES = 5;

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
  const why = `what tests of the base demand no longer holds: ${enumerated(demands, MOST_DEMANDS)}`;
  return { flags, why };
}

const MOST_DEMANDS = 3;

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
  const why = `tests of the base have not run: ${enumerated(gone, MOST_DEMANDS)}`;
  return { flags: [flagText('tests-not-run', gone)], why };
}
