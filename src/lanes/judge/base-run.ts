/** Runs of a validation on the base, by which old failures and flaky tests are known. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailedError } from '../../checkout/setup.ts';
import { newId } from '../../store/ids.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type CommitRun, cleanRun } from './clean-run.ts';
import { type Baseline, flakyTests, judge } from './judge.ts';
import { baselineFrom, type Job, recordVerdict } from './record-verdict.ts';
import { NOTHING } from './run-validation.ts';

const AGAIN_AFTER_MS = [0, 3_000];

/** Repeats a run that was killed, ran out of time or crashed, up to two times. */
export async function runUntilConclusive(job: Job, sha: string, logOf: (n: number) => string) {
  const runOnce = (n: number) => cleanRun(job.context, job, { sha, log: logOf(n) });
  const runs = [await runOnce(1)];
  for (const pauseMs of AGAIN_AFTER_MS) {
    if (runs.at(-1)?.broken !== true) break;
    await sleep(pauseMs, undefined, { signal: job.signal });
    runs.push(await runOnce(runs.length + 1));
  }
  return runs;
}

/** The number of runs on the base that show whether it is flaky, too. */
const BASE_RUNS = 3;

/** The tests among these that pass and fail on the base. Tests that the base lacks are left out. */
export async function flakyOf(job: Job, names: readonly string[]): Promise<readonly string[]> {
  if (job.base === job.sha || names.length === 0) return [];
  const runsOfBase = () => validationsOfBase(job).flatMap(({ runs }) => runs);
  const found = () => {
    const flaky = new Set(flakyTests(runsOfBase()).map(({ name }) => name));
    return names.filter((name) => flaky.has(name));
  };
  while (found().length < names.length && runsOfBase().length < BASE_RUNS) await validateBase(job);
  return found();
}

/** The result of the base, which runs once for each base, command and setup. */
export async function baselineOf(job: Job): Promise<Baseline | undefined> {
  if (job.base === job.sha) return undefined;
  const last = validationsOfBase(job).map(baselineFrom).at(-1);
  // Any other result may be better this time.
  if (last?.result === 'pass' || last?.result === 'fail') return last;
  return baselineFrom(await validateBase(job));
}

function validationsOfBase({ context, run, base: sha, setupHash, command: { cmdHash } }: Job) {
  const all = laneValidationStore(context.store).ofBase({ projectId: run.projectId, sha, cmdHash });
  return all.filter((it) => it.setupHash === setupHash);
}

export async function validateBase(job: Job): Promise<Validation> {
  const id = newId(job.context.now());
  const { base: sha } = job;
  const logOf = (n: number) => `validate-${id}-base-${n}.log`;
  const runs = await runUntilConclusive(job, sha, logOf).catch((error) => notSetUp(job, error));
  const last = runs.at(-1) as CommitRun;
  const judgement = judge({ runs: [last], baseline: undefined, testsRemoved: [] });
  const subject = { subject: 'base', laneId: null, specHash: null, sha } as const;
  const setupHash = job.setupHash || last.setupHash;
  return await recordVerdict({ ...job, ...subject, setupHash }, id, { runs, judgement });
}

/** A failed setup on the base is a result that explains nothing. */
function notSetUp({ dir }: Job, error: unknown): CommitRun[] {
  if (!(error instanceof SetupFailedError)) throw error;
  const log = { logPath: join(dir, 'setup.log'), logSha256: '', tail: error.tail };
  const why = { ...NOTHING, detail: error.message };
  return [{ ...log, ...why, setupHash: '', absent: [], changedMain: [] }];
}
