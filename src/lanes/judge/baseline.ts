/**
 * The validation of a lane on the commit that it starts from, before any work is done: what fails there
 * does not count later, and a command that proves nothing there will prove no lane.
 */
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { leasePorts } from '../../base/process/ports.ts';
import { SetupFailedError } from '../../checkout/setup.ts';
import { newId } from '../../store/ids.ts';
import { laneStore } from '../../store/lanes.ts';
import { runStore } from '../../store/runs.ts';
import { laneEnvironment } from '../settings/lane-environment.ts';
import { settingsFor } from '../settings/settings-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { lastOfBase } from '../spec/outcomes.ts';
import { laneDir, locksOf } from '../spec/paths.ts';
import { gitOfRun } from '../spec/repository.ts';
import { judge } from './judge.ts';
import { type Judged, recordVerdict } from './record.ts';
import { validateAlone } from './validate-commit.ts';

/** The lowest priority: these run after all validations that something waits for. */
const PRIORITY = -20;

/** One process alone takes the baseline of a command; it is stored as a validation of the base. */
export async function takeBaseline(outer: LaneContext, laneId: string): Promise<void> {
  const { store } = outer;
  const lane = laneStore(store).byId(laneId);
  const run = lane && runStore(store).byId(lane.runId);
  if (lane?.validateCmd == null || run === undefined) return;
  const { cmdHash, validateCmd: cmd, validateCwd: cwd, validateTimeoutS: timeoutS } = lane;
  const locks = locksOf(store.home);
  makePrivateFolder(locks);
  const lock = takeLock(join(locks, `base-${run.id}-${cmdHash.slice(0, 16)}.lock`));
  if (lock === undefined) return;
  const lease = await leasePorts(locks, lane.spec.ports);
  try {
    const sha = lane.baseSha ?? run.baseSha;
    if (lastOfBase(store, run, lane) !== undefined) return;
    const context = { ...outer, env: laneEnvironment(outer, laneId) };
    const dir = laneDir(store.home, laneId);
    const wish = {
      ...{ run, sha, base: sha, settings: await settingsFor(context, run) },
      ...({ subject: 'base', laneId: null, attemptId: null, specHash: null } as const),
      removesTests: 'no' as const,
      ...{ name: 'base', dir, setup: lane.spec.setup },
      command: { cmd, cwd, timeoutS, cmdHash },
      place: {
        ...{ attempt: `base-${laneId}`, lane: '', run: run.id },
        ...{ home: store.home.root, ports: lease.ports },
      },
      ...{ priority: PRIORITY, signal: new AbortController().signal },
    };
    try {
      await validateAlone(context, wish);
    } catch (error) {
      if (!(error instanceof SetupFailedError)) throw error;
      await recordFailedSetup(
        { ...wish, context, git: gitOfRun(context, run), setupHash: '' },
        error,
      );
    }
  } finally {
    lease.release();
    lock.discard();
  }
}

/** The command does not run either without what the setup makes ready. */
async function recordFailedSetup(
  judged: Judged & { readonly dir: string },
  { message: why, tail }: SetupFailedError,
): Promise<void> {
  const none = {
    failures: [],
    dirtied: [],
    absent: [],
    tests: undefined,
    setupHash: '',
  };
  const file = { logPath: join(judged.dir, 'setup.log'), logSha256: '' };
  const run = {
    result: 'error',
    exitCode: null,
    durationMs: 0,
    detail: why,
    broken: false,
  } as const;
  const runs = [{ ...run, ...none, ...file, tail }];
  const judgement = judge({ runs, baseline: undefined, testsRemoved: [] });
  await recordVerdict(judged, newId(judged.context.now()), { runs, judgement });
}
