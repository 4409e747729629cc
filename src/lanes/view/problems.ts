/** Problems with the lanes of this machine, as seen from outside of their supervisors. */
import { onNetworkFileSystem } from '../../files/network-file-system.ts';
import { attemptsWithProcesses, markedProcesses } from '../../process/end-tree.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { laneStore } from '../../store/lanes.ts';
import { hasReserve } from '../../store/reserve.ts';
import { type Run, runStore } from '../../store/runs.ts';
import { plural } from '../../text/count.ts';
import { purposeOfMarker, scratchTree } from '../merge-queue/repository.ts';
import type { LaneContext } from '../model/context.ts';
import { foldersOf, shortage } from '../scheduler/disk-space.ts';
import { type LaneCard, readBoard } from './board.ts';
import { untrueLines } from './check.ts';
import { linesOf } from './lines.ts';

export interface Problem {
  readonly state: 'warning' | 'broken';
  readonly fact: string;
  readonly hint: string;
}

/** Of all open runs of all projects. */
export async function laneProblems(context: LaneContext): Promise<Problem[]> {
  const runs = runStore(context.store).openEverywhere();
  const problems = leftovers(context);
  const { root } = context.store.home;
  if (runs.length > 0 && onNetworkFileSystem(root)) {
    problems.push({
      state: 'broken',
      fact: `${root} is on a network file system: locks in it prove nothing, lanes do not run there`,
      hint: 'set LANEHOLD_HOME to a folder on a local disk',
    });
  }
  problems.push(...fullDisks(context, runs));
  for (const run of runs) problems.push(...(await problemsOf(context, run)));
  return problems;
}

function fullDisks(context: LaneContext, runs: readonly Run[]): Problem[] {
  const shortages = runs.flatMap((run) => {
    const lanes = laneStore(context.store).ofRun(run.id);
    const folders = lanes.map(({ worktree }) => foldersOf(context, run, worktree ?? run.commonDir));
    return folders.flatMap((them) => shortage(them) ?? []);
  });
  const saved = hasReserve(context.store.home) ? '' : ', and the reserve is used up';
  return [...new Set(shortages)].map((short) => ({
    state: 'warning',
    fact: `${short}: no lane works there${saved}`,
    hint: 'free disk space, for example with `lanehold orchestrate gc`; waiting lanes then continue',
  }));
}

/** Processes of attempts that are over. Attempts of other stores are ignored. */
function leftovers(context: LaneContext): Problem[] {
  return [...attemptsWithProcesses()].flatMap((marker): Problem[] => {
    const past = pastWork(context, marker);
    if (past === undefined) return [];
    const pids = markedProcesses(marker).map(({ pid }) => pid);
    if (pids.length === 0) return [];
    return [
      {
        state: 'broken',
        fact: `${plural(pids.length, 'process')} of ${past}, which is over, still run`,
        hint: `look at them and end them: \`ps -p ${pids.join(',')}\``,
      },
    ];
  });
}

/** What the processes with this marker were started for, if it is over. */
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

/** Lanes without a supervisor; worktrees and logs that are gone, branches that were moved. */
async function problemsOf(context: LaneContext, run: Run): Promise<Problem[]> {
  const board = readBoard(context, run);
  const untrue = await untrueLines(context, run, linesOf(board, new Map()));
  return [
    ...board.lanes.flatMap((lane) => attention(run, lane)),
    ...untrue.map(({ about, now }) => ({
      state: 'warning' as const,
      fact: `run ${run.name}, ${about}: ${now}`,
      hint: `run \`lanehold orchestrate status --run ${run.name}\` in its project`,
    })),
  ];
}

function attention(run: Run, { key, supervision }: LaneCard): Problem[] {
  if (supervision === 'unresponsive') {
    return [
      {
        state: 'warning',
        fact: `the supervisor of lane ${key} (${run.name}) holds its lock and shows no activity`,
        hint: 'is it stopped, or the machine short of memory? there is no takeover while it lives',
      },
    ];
  }
  if (supervision !== 'none' && supervision !== 'unknown') return [];
  const hint = `run \`lanehold orchestrate sync --run ${run.name}\` in its project`;
  return [{ state: 'warning', fact: `lane ${key} (${run.name}) has no supervisor`, hint }];
}
