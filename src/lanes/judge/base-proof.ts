/** Runs of a lane with the proof of its base: its settings, its tests, and small changes of the lane's lines. */
import { enumerated, plural } from '../../base/text/printable.ts';
import { flagText } from '../spec/flags.ts';
import { baselineOf } from './base-run.ts';
import { judgeBaseTests, testsNotRun } from './base-tests.ts';
import { type CommitRun, cleanRun } from './clean-run.ts';
import { judge, needsBaseline } from './judge.ts';
import { noticedChanges } from './mutants.ts';
import { changedProof } from './proof.ts';
import type { Job, JudgedRuns } from './record-verdict.ts';
import type { TestsRun } from './run-validation.ts';
import { isNamedAsTest } from './test-cases.ts';

/** A lane that has changed its own proof also has to pass with the base's. */
export async function withBaseProof(
  job: Job,
  found: JudgedRuns,
  logOf: (what: string) => string,
): Promise<JudgedRuns> {
  const proof = await changedProof(job.context, job);
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
  const own = found.runs.findLast(({ result }) => result === 'pass');
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
