/** The results of `doctor`, the machines of the team, the size of stored data, and what cleaning up would free. Changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { explained } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { sizeOnDisk } from '../../base/files/size-on-disk.ts';
import { observationStore } from '../../store/observations.ts';
import { type AppContext, openProject } from '../context.ts';
import { collectGarbage } from '../lanes/runs.ts';
import { pruneRecall } from '../recall/forget.ts';
import { diagnose } from '../setup/doctor.ts';
import type { AsJson } from './as-json.ts';

export type HealthView = AsJson<Awaited<ReturnType<typeof healthView>>>;

const DAY_MS = 86_400_000;
/** The default age of `orchestrate gc`. */
const GC_AGE_MS = 30 * DAY_MS;
const DAYS = 30;

/** The amount added on each of the last days, the last day at the end. */
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

/** Starts the agents' programs to ask for their versions, so it must not run on a timer. */
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
    /** As it was at the last contact with the board; `null` without a team. */
    team: existsSync(home.team)
      ? (await import('../team/contact.ts')).lastContact(await openProject(context))
      : null,
    home: home.root,
    sizes: [
      { what: 'database', path: home.database, bytes: database, isWhole: true, days: null },
      ...Object.entries(folders).map(([what, path]) => {
        const { days, addFile } = growth(now);
        return { what, path, ...sizeOnDisk(path, addFile), days };
      }),
    ],
    /** The numbers of the last days; for a folder, `days` are the bytes last written on each day. */
    events: events.days,
    /** `null` if no run can be read. */
    gc,
    prune: await pruneRecall(context, { dryRun: true }),
  };
}
