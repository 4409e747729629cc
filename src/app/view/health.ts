/** What `doctor` finds, how much is kept, and what cleaning up would free. Changes nothing. */
import { join } from 'node:path';
import { explained } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { sizeOnDisk } from '../../base/files/size-on-disk.ts';
import { observationStore } from '../../store/observations.ts';
import type { AppContext } from '../context.ts';
import { collectGarbage } from '../lanes/runs.ts';
import { diagnose } from '../setup/doctor.ts';
import { pruneRecall } from '../setup/prune.ts';
import type { AsJson } from './as-json.ts';

export type HealthView = AsJson<Awaited<ReturnType<typeof healthView>>>;

const DAY_MS = 86_400_000;
/** As `orchestrate gc` has it. */
const GC_AGE_MS = 30 * DAY_MS;
/** How far back growth is told. */
const DAYS = 30;

/** What was added on each of the last days, the last one at the end. */
function growth(now: Date) {
  const days: number[] = Array(DAYS).fill(0);
  const add = (amount: number, ago: number) => {
    if (ago >= 0 && ago < DAYS) days[DAYS - 1 - ago] = (days[DAYS - 1 - ago] ?? 0) + amount;
  };
  return {
    days,
    add,
    addFile: (bytes: number, at: Date) =>
      add(bytes, Math.floor((now.getTime() - at.getTime()) / DAY_MS)),
  };
}

/** Starts the programs of agents to ask for their versions: for when somebody looks, not on a timer. */
export async function healthView(context: AppContext) {
  const home = homeOf(context.env);
  const now = context.now();
  const events = growth(now);
  const observations = observationStore(await context.store());
  for (const it of observations.perDay(now.getTime(), DAYS)) events.add(it.events, it.ago);
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
    at: now,
    ok,
    findings,
    agents,
    home: home.root,
    sizes: [
      { what: 'database', path: home.database, bytes: database, isWhole: true, days: null },
      ...Object.entries(folders).map(([what, path]) => {
        const { days, addFile } = growth(now);
        return { what, path, ...sizeOnDisk(path, addFile), days };
      }),
    ],
    /** Recorded on each of the last days; of a folder `days` are the bytes that were written then last. */
    events: events.days,
    /** `null` where no run can be looked at. */
    gc,
    prune: await pruneRecall(context, { dryRun: true }),
  };
}
