/** The validation of one commit, from the wait for a slot to the stored verdict. */

import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { defaultSlots, waitForSlot } from '../../base/process/slots.ts';
import { newId } from '../../store/ids.ts';
import { laneStore, runStore } from '../../store/lanes.ts';
import { laneEnvironment } from '../settings/lane-environment.ts';
import { settingsFor } from '../settings/settings-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { COULD_NOT_RUN, flagText } from '../spec/flags.ts';
import { lastOfBase } from '../spec/outcomes.ts';
import { laneDir } from '../spec/paths.ts';
import { withoutAttempt } from '../tree/scratch-tree.ts';
import { withBaseProof } from './base-proof.ts';
import { baselineOf, flakyOf, runUntilConclusive, validateBase } from './base-run.ts';
import { type CommitRun, cleanRun, commandOf } from './clean-run.ts';
import { flakyTests, flakyWords, judge, needsBaseline, needsRerun } from './judge.ts';
import { changedProof } from './proof.ts';
import {
  type CommitToValidate,
  type Job,
  type JudgedRuns,
  recordVerdict,
} from './record-verdict.ts';
import { changedTestFiles, lostTests, reportedTestFiles, withReported } from './removed-tests.ts';
import { strayFlags } from './stray.ts';

/** @throws if it is aborted, or a disk is full. Then there is no verdict, and nothing is stored. */
export async function validateCommit(context: LaneContext, wish: CommitToValidate) {
  const id = newId(context.now());
  const { run, base, sha } = wish;
  const isProved = wish.subject === 'lane' || wish.withBaseTests === true;
  // This depends on commits alone, so no slot is held meanwhile.
  const git = gitIn(run.repository, context.env);
  const stray = isProved ? await strayFlags(git, base, sha) : [];
  const proof = isProved ? await changedProof(context, { ...wish, git }) : undefined;
  return await inSlot(context, wish, async (job) => {
    const logOf = (n: number) => `validate-${id}-${n}.log`;
    const runs = await runUntilConclusive(job, job.sha, logOf);
    const [{ setupHash }] = runs as [CommitRun];
    const known = { ...job, setupHash: wish.setupHash ?? setupHash };
    const found = await judged(known, runs, logOf(runs.length + 1));
    const blamed = await blameIfUnrun(known, found);
    const logFor = (what: string) => `validate-${id}-${what}.log`;
    const proved =
      proof !== undefined && blamed.judgement.verdict === 'pass'
        ? await withBaseProof(known, withFlags(blamed, stray), proof, logFor)
        : blamed;
    return await recordVerdict(known, id, proved, blamed.runs.length);
  });
}

async function inSlot<T>(
  context: LaneContext,
  wish: CommitToValidate,
  work: (job: Job) => Promise<T>,
): Promise<T> {
  makePrivateFolder(wish.dir);
  const { run, settings, priority, signal, tell } = wish;
  const count = settings.slots.validate ?? defaultSlots().validate;
  const asked = { kind: 'validate', count, priority } as const;
  tell?.('waits for a slot: other validations are running');
  const slot = await waitForSlot(context.store.home.locks, asked, signal);
  tell?.(null);
  try {
    const git = gitIn(run.repository, context.env);
    return await work({ setupHash: '', ...wish, context, git });
  } finally {
    slot.release();
  }
}

/** Runs again after a failure that the base does not explain, since it may be flaky. */
async function judged(job: Job, ran: readonly CommitRun[], nextLog: string): Promise<JudgedRuns> {
  const first = ran.at(-1) as CommitRun;
  const { testsRemoved, baseline } = await comparedWithBase(job, first);
  const runs = [...ran];
  const conclusive = [first];
  let flakyOnBase: readonly string[] = [];
  if (needsRerun(first, baseline)) {
    const second = await cleanRun(job.context, job, { sha: job.sha, log: nextLog });
    runs.push(second);
    // A kill is no result, so the failure counts.
    if (second.result === 'pass' || second.result === 'fail') conclusive.push(second);
    if (second.result === 'pass') flakyOnBase = await flakyOf(job, first.failures);
  }
  job.signal.throwIfAborted();
  const removal = job.removesTests;
  const judgement = judge({ runs: conclusive, baseline, testsRemoved, flakyOnBase, removal });
  const flaky = flakyTests(conclusive).map(flakyWords);
  const flags = judgement.flags.map((flag) => {
    if (flag !== 'tests_removed') return flag;
    return flagText(removal === 'declared' ? 'tests_removed_as_declared' : flag, testsRemoved);
  });
  if (flaky.length > 0) flags.push(flagText('flaky-tests', flaky));
  return { runs, judgement: { ...judgement, flags } };
}

/** Blames the work if the command cannot run here and runs on the base; otherwise the cause is unknown. */
async function blameIfUnrun(job: Job, found: JudgedRuns): Promise<JudgedRuns> {
  const { runs, judgement } = found;
  const { verdict, why, flags } = judgement;
  if (job.subject !== 'lane' || (verdict !== 'error' && verdict !== 'timeout')) return found;
  const last = runs.at(-1);
  const runsOnBase = async (): Promise<boolean> => {
    const wasKilled = last?.result === 'error' && last.broken;
    if (wasKilled || job.base === job.sha) return false;
    // A program may have been uninstalled since, or a port taken: an earlier result does not show that.
    const hasRun = last?.result !== 'error';
    const base = hasRun ? await baselineOf(job) : await validateBase(job);
    return base?.result === 'pass' || (base?.result === 'fail' && !hasRun);
  };
  const hasBegun = verdict === 'timeout' && (last?.tests?.ran ?? 0) > 0;
  if (!hasBegun && !(await runsOnBase())) {
    return { runs, judgement: { ...judgement, flags: [...flags, COULD_NOT_RUN] } };
  }
  if (verdict === 'timeout') return found;
  const fail = {
    verdict: 'fail',
    rejection: 'validation',
    why: `${why}; on the base it runs`,
  } as const;
  return { runs, judgement: { ...judgement, ...fail } };
}

/** Looks for missing tests in the text of the changed files, and in the reports of their runs. */
async function comparedWithBase(job: Job, run: CommitRun) {
  const files = await changedTestFiles(job.git, job.base, job.sha);
  const missed = lostTests(files);
  const mayHide = job.removesTests === 'no' && files.some(({ before }) => before.length > 0);
  const own = mayHide ? run.tests : undefined;
  const isNeeded = needsBaseline(run, missed) || (own !== undefined && run.result === 'pass');
  const baseline = isNeeded ? await baselineOf(job) : undefined;
  const isProof = run.result === 'pass' || (run.result === 'fail' && !needsRerun(run, baseline));
  const old = isProof ? baseline?.tests : undefined;
  const hidden = old && own ? lostTests(reportedTestFiles(old, own, files)) : [];
  return { baseline, testsRemoved: withReported(missed, hidden) };
}
const withFlags = ({ runs, judgement }: JudgedRuns, flags: readonly string[]): JudgedRuns => ({
  runs,
  judgement: { ...judgement, flags: [...judgement.flags, ...flags] },
});

/** The lowest priority: these run after all validations that are waited for. */
const PRIORITY = -20;

/**
 * Validates a lane on the commit that it starts from, before any work is done, in one process alone: failures there do
 * not count later, and a command that proves nothing there will prove no lane.
 */
export async function takeBaseline(outer: LaneContext, laneId: string): Promise<void> {
  const { store } = outer;
  const lane = laneStore(store).byId(laneId);
  const run = lane && runStore(store).byId(lane.runId);
  const command = lane && commandOf(lane);
  if (lane === undefined || run === undefined || command === undefined) return;
  const locks = store.home.locks;
  makePrivateFolder(locks);
  const lock = takeLock(join(locks, `base-${run.id}-${command.cmdHash.slice(0, 16)}.lock`));
  if (lock === undefined) return;
  try {
    if (lastOfBase(store, run, lane) !== undefined) return;
    const context = { ...outer, env: laneEnvironment(outer, laneId) };
    const settings = await settingsFor(context, run);
    const sha = lane.baseSha ?? run.baseSha;
    const base = { subject: 'base', removesTests: 'no', run, sha, base: sha, command } as const;
    const processes = { marker: `base-${laneId}`, run, ports: command.ports };
    await withoutAttempt(store.home, processes, (place) => {
      const { signal } = new AbortController();
      const dir = laneDir(store.home, laneId);
      const wish = { ...base, settings, dir, place, priority: PRIORITY, signal };
      // There is nothing yet to compare the base with.
      return inSlot(context, wish, validateBase);
    });
  } finally {
    lock.discard();
  }
}
