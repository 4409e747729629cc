/**
 * The validation of a lane on the commit that it starts from, before any work is done: failures there do not count
 * later, and a command that proves nothing there will prove no lane.
 */
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { laneStore, runStore } from '../../store/lanes.ts';
import { laneEnvironment } from '../settings/lane-environment.ts';
import { settingsFor } from '../settings/settings-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { lastOfBase } from '../spec/outcomes.ts';
import { laneDir, locksOf } from '../spec/paths.ts';
import { withoutAttempt } from '../tree/scratch-tree.ts';
import { commandOf } from './clean-run.ts';
import { validateAlone } from './validate-commit.ts';

/** The lowest priority: these run after all validations that are waited for. */
const PRIORITY = -20;

/** Takes the baseline of a command, in one process alone; it is stored as a validation of the base. */
export async function takeBaseline(outer: LaneContext, laneId: string): Promise<void> {
  const { store } = outer;
  const lane = laneStore(store).byId(laneId);
  const run = lane && runStore(store).byId(lane.runId);
  const command = lane && commandOf(lane);
  if (lane === undefined || run === undefined || command === undefined) return;
  const locks = locksOf(store.home);
  makePrivateFolder(locks);
  const lock = takeLock(join(locks, `base-${run.id}-${command.cmdHash.slice(0, 16)}.lock`));
  if (lock === undefined) return;
  try {
    if (lastOfBase(store, run, lane) !== undefined) return;
    const context = { ...outer, env: laneEnvironment(outer, laneId) };
    const settings = await settingsFor(context, run);
    const sha = lane.baseSha ?? run.baseSha;
    const wish = { run, sha, base: sha, command, settings };
    const processes = { marker: `base-${laneId}`, run, ports: command.ports };
    await withoutAttempt(store.home, processes, (place) =>
      validateAlone(context, {
        ...wish,
        subject: 'base',
        removesTests: 'no',
        dir: laneDir(store.home, laneId),
        place,
        priority: PRIORITY,
        signal: new AbortController().signal,
      }),
    );
  } finally {
    lock.discard();
  }
}
