/** What is wrong with the lanes of this machine, as far as it can be seen from outside. */
import { attemptsWithProcesses, holdersOf } from '../../process/cookie.ts';
import { onNetworkFileSystem } from '../../process/network-file-system.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { laneStore } from '../../store/lanes.ts';
import { type Run, runStore } from '../../store/runs.ts';
import { plural } from '../../text/count.ts';
import { readBoard } from '../board/board.ts';
import type { LaneCard } from '../board/lane-card.ts';
import { untrueLines } from '../handoff/check.ts';
import { linesOf } from '../handoff/lines.ts';
import type { LaneWorld } from '../world.ts';

export interface Ailment {
  readonly state: 'warning' | 'broken';
  readonly fact: string;
  readonly hint: string;
}

/** Of every open run, whichever project it belongs to: workers are the machine's. */
export async function laneAilments(world: LaneWorld): Promise<Ailment[]> {
  const runs = runStore(world.store).openEverywhere();
  const ailments = leftovers(world);
  if (runs.length > 0) ailments.push(...networkLocks(world));
  for (const run of runs) {
    ailments.push(...unattended(world, run), ...(await untrue(world, run)));
  }
  return ailments;
}

function networkLocks({ store }: LaneWorld): Ailment[] {
  const { root } = store.home;
  if (!onNetworkFileSystem(root)) return [];
  return [
    {
      state: 'broken',
      fact: `${root} is on a network file system: locks in it prove nothing, lanes do not run there`,
      hint: 'set LANEHOLD_HOME to a folder on a local disk',
    },
  ];
}

/** Processes of attempts that are over. Those of other stores are none of ours. */
function leftovers({ store }: LaneWorld): Ailment[] {
  const attempts = attemptStore(store);
  return [...attemptsWithProcesses()].flatMap((id): Ailment[] => {
    const attempt = attempts.byId(id);
    if (attempt === undefined || isLive(attempt)) return [];
    const pids = holdersOf(id).map(({ pid }) => pid);
    if (pids.length === 0) return [];
    const key = laneStore(store).byId(attempt.laneId)?.key ?? attempt.laneId;
    return [
      {
        state: 'broken',
        fact: `${plural(pids.length, 'process')} of attempt ${attempt.n} of lane ${key}, which is over, still run`,
        hint: `look at them and end them: \`ps -p ${pids.join(',')}\``,
      },
    ];
  });
}

function unattended(world: LaneWorld, run: Run): Ailment[] {
  const { lanes } = readBoard(world, run);
  return lanes.flatMap((lane) => attention(run, lane) ?? []);
}

function attention(run: Run, { key, supervision }: LaneCard): Ailment | undefined {
  switch (supervision) {
    case 'unresponsive':
      return {
        state: 'warning',
        fact: `the supervisor of lane ${key} (${run.name}) holds its lock and says nothing`,
        hint: 'is it stopped, or the machine short of memory? while it lives nobody takes over',
      };
    case 'none':
    case 'unknown':
      return {
        state: 'warning',
        fact: `nobody looks after lane ${key} (${run.name})`,
        hint: `run \`lanehold orchestrate sync --run ${run.name}\` in its project`,
      };
    case 'supervised':
    case 'launching':
    case null:
      return undefined;
  }
}

/** Worktrees and logs that are gone, branches that were moved. */
async function untrue(world: LaneWorld, run: Run): Promise<Ailment[]> {
  const lines = linesOf(readBoard(world, run), new Map());
  const found = await untrueLines(world, run, lines);
  return found.map(({ about, now }) => ({
    state: 'warning',
    fact: `run ${run.name}, ${about}: ${now}`,
    hint: `run \`lanehold orchestrate status --run ${run.name}\` in its project`,
  }));
}
