/** What `doctor` finds, how much is kept, and what cleaning up would free. Changes nothing. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
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
    (sum, end) => sum + sizeOf(`${home.database}${end}`).bytes,
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
  }).catch(() => null);
  return {
    at: context.now(),
    ok,
    findings,
    agents,
    home: home.root,
    sizes: [
      { what: 'database', path: home.database, bytes: database, isWhole: true },
      ...Object.entries(folders).map(([what, path]) => ({ what, path, ...sizeOf(path) })),
    ],
    gc: gc && {
      removed: gc.removed.map((it) => ({
        ...it,
        ...(it.what === 'ref' ? NO_BYTES : sizeOf(it.name)),
      })),
      kept: gc.kept,
    },
    prune: await pruneRecall(context, { dryRun: true }),
  };
}

const NO_BYTES = { bytes: 0, isWhole: true };

/** More files than this are not counted: trees of lanes may have packages in them. */
const MOST_FILES = 20_000;

/** @returns `isWhole` false: at least so many. */
function sizeOf(path: string): { readonly bytes: number; readonly isWhole: boolean } {
  let bytes = 0;
  let files = 0;
  const open = [path];
  for (let next = open.pop(); next !== undefined && files < MOST_FILES; next = open.pop()) {
    const at = next;
    const entry = lstatSync(at, { throwIfNoEntry: false });
    files += 1;
    bytes += entry?.isDirectory() === false ? entry.size : 0;
    const names = entry?.isDirectory() ? (attempt(() => readdirSync(at)) ?? []) : [];
    open.push(...names.map((name) => join(at, name)));
  }
  return { bytes, isWhole: open.length === 0 };
}
