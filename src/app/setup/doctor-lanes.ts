/** Problems with the lanes of this machine, as seen from outside of their supervisors. */
import { existsSync } from 'node:fs';
import { attemptsWithProcesses, markedProcesses } from '../../base/process/end-tree.ts';
import { onNetworkFileSystem } from '../../base/process/network-file-system.ts';
import { plural } from '../../base/text/printable.ts';
import { broken, type Finding, warning } from '../../install/verify.ts';
import { type LaneCard, readBoard } from '../../lanes/look/board.ts';
import { untrueLines } from '../../lanes/look/check.ts';
import { linesOf } from '../../lanes/look/lines.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { foldersOf, shortage } from '../../lanes/tree/disk-space.ts';
import { purposeOfMarker, scratchTree } from '../../lanes/tree/scratch-tree.ts';
import {
  COPIES,
  COPIES_HINT,
  copiedPackages,
  SETUP_HINT,
  setupObstacles,
} from '../../lanes/tree/setup.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { laneStore, type Run, runStore } from '../../store/lanes.ts';
import { hasReserve } from '../../store/reserve.ts';

export async function laneProblems(context: LaneContext): Promise<Finding[]> {
  const { root } = context.store.home;
  const runs = runStore(context.store).openEverywhere();
  const ofRuns = await Promise.all(runs.map((run) => problemsOf(context, run)));
  const network = `${root} is on a network file system: locks in it prove nothing, lanes do not run there`;
  return [
    ...leftovers(context),
    ...(runs.length > 0 && onNetworkFileSystem(root)
      ? [broken('lanes', network, 'set LANEHOLD_HOME to a folder on a local disk')]
      : []),
    ...fullDisks(context, runs),
    ...ofRuns.flat(),
  ];
}

function fullDisks(context: LaneContext, runs: readonly Run[]): Finding[] {
  const folders = runs.flatMap((run) => {
    const lanes = laneStore(context.store).ofRun(run.id);
    return lanes.map(({ worktree }) => foldersOf(context, run, worktree ?? run.commonDir));
  });
  const shortages = new Set(folders.flatMap((them) => shortage(them) ?? []));
  const saved = hasReserve(context.store.home) ? '' : ', and the reserve is used up';
  const hint =
    'free disk space, for example with `lanehold orchestrate gc`; waiting lanes then continue';
  return [...shortages].map((short) =>
    warning('lanes', `${short}: no lane works there${saved}`, hint),
  );
}

/** Processes of attempts that are over. Attempts of other stores are ignored. */
function leftovers(context: LaneContext): Finding[] {
  return [...attemptsWithProcesses()].flatMap((marker): Finding[] => {
    const past = pastWork(context, marker);
    const pids = past === undefined ? [] : markedProcesses(marker).map(({ pid }) => pid);
    if (pids.length === 0) return [];
    const fact = `${plural(pids.length, 'process')} of ${past}, which is over, still run`;
    return [broken('lanes', fact, `look at them and end them: \`ps -p ${pids.join(',')}\``)];
  });
}

/** The attempt or task that started the processes with this marker, if it is over. */
function pastWork({ store }: LaneContext, marker: string): string | undefined {
  const purpose = purposeOfMarker(marker);
  if (purpose !== undefined) {
    const run = runStore(store).byId(purpose.runId);
    const isOver = run !== undefined && !scratchTree(store.home, purpose.purpose, run).isBusy();
    return isOver ? `the ${purpose.purpose} of run ${run.name}` : undefined;
  }
  const attempt = attemptStore(store).byId(marker);
  if (attempt === undefined || isLive(attempt)) return undefined;
  const key = laneStore(store).byId(attempt.laneId)?.key ?? attempt.laneId;
  return `attempt ${attempt.n} of lane ${key}`;
}

const MOVED_HINT =
  'in its new folder, run `lanehold project move`; if it is deleted, `lanehold project forget OLD-FOLDER`';

/** Lanes without a supervisor; missing worktrees and logs; branches that were moved. */
async function problemsOf(context: LaneContext, run: Run): Promise<Finding[]> {
  if (!existsSync(run.commonDir)) {
    const fact = `the repository of run ${run.name} is gone from ${run.repository}`;
    return [warning('lanes', fact, MOVED_HINT)];
  }
  const board = readBoard(context, run);
  const untrue = await untrueLines(context, run, linesOf(board, new Map()));
  const settings = await settingsFor(context, run);
  const obstacles = await setupObstacles(context, run, settings, { validateCwd: '' });
  const copied = await copiedPackages(context, run, settings);
  const status = `run \`lanehold orchestrate status --run ${run.name}\` in its project`;
  return [
    ...obstacles.map((it) =>
      warning('lanes', `lanes of run ${run.name} cannot be set up: ${it}`, SETUP_HINT),
    ),
    ...(copied === undefined
      ? []
      : [warning('lanes', `each lane of run ${run.name} has ${COPIES}: ${copied}`, COPIES_HINT)]),
    ...board.lanes.flatMap((lane) => attention(run, lane)),
    ...untrue.map(({ about, now }) =>
      warning('lanes', `run ${run.name}, ${about}: ${now}`, status),
    ),
  ];
}

function attention({ name }: Run, { key, supervision }: LaneCard): Finding[] {
  switch (supervision) {
    case 'unresponsive': {
      const fact = `the supervisor of lane ${key} (${name}) holds its lock and shows no activity`;
      const hint = 'is it stopped, or the machine short of memory?';
      return [warning('lanes', fact, `${hint} there is no takeover while it lives`)];
    }
    case 'none':
    case 'unknown': {
      const hint = `run \`lanehold orchestrate sync --run ${name}\` in its project`;
      return [warning('lanes', `lane ${key} (${name}) has no supervisor`, hint)];
    }
    default:
      return [];
  }
}
