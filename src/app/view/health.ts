/** What `doctor` finds, how much is kept, and what cleaning up would free. Changes nothing. */
import { join } from 'node:path';
import { explained } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { sizeOnDisk } from '../../base/files/size-on-disk.ts';
import type { AppContext } from '../context.ts';
import { collectGarbage } from '../lanes/runs.ts';
import { diagnose } from '../setup/doctor.ts';
import { pruneRecall } from '../setup/prune.ts';
import type { AsJson } from './as-json.ts';

export type HealthView = AsJson<Awaited<ReturnType<typeof healthView>>>;

const GC_AGE_MS = 7 * 86_400_000;

/** Starts the programs of agents to ask for their versions: for when somebody looks, not on a timer. */
export async function healthView(context: AppContext) {
  const home = homeOf(context.env);
  const { ok, findings, agents } = await diagnose(context);
  const database = ['', '-wal', '-shm'].reduce(
    (sum, end) => sum + sizeOnDisk(`${home.database}${end}`).bytes,
    0,
  );
  const folders = {
    runs: home.runs,
    worktrees: join(home.root, 'worktrees'),
    logs: home.logs,
    backups: home.backups,
    notes: join(home.root, 'notes'),
  };
  const gc = await collectGarbage(context, {
    refs: 'keep-unmerged',
    mode: 'dry-run',
    olderThanMs: GC_AGE_MS,
  }).catch((error) => {
    explained(error);
    return null;
  });
  return {
    at: context.now(),
    ok,
    findings,
    agents,
    home: home.root,
    sizes: [
      { what: 'database', path: home.database, bytes: database, isWhole: true },
      ...Object.entries(folders).map(([what, path]) => ({ what, path, ...sizeOnDisk(path) })),
    ],
    /** `null` where no run can be looked at. */
    gc,
    prune: await pruneRecall(context, { dryRun: true }),
  };
}
